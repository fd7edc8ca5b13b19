#!/usr/bin/env python3
"""Data-parallel training with PyTorch's DDP, for comparison with `gpubench --world-size`.

usage: torchrun --standalone --nproc-per-node 2 ddp_peer.py MODEL BATCH SAMPLES EPOCHS

MODEL is mlp, cnn or resnet50, as in make_trajectories.py. BATCH is the batch size over all ranks,
SAMPLES the number of synthetic samples per epoch. Without torchrun, trains in one process without a
group. Prints the median throughput of the epochs after the first, in samples per second.
"""

import os
import pathlib
import statistics
import sys
import time

import torch
from torch import distributed
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/engine/models/trajectories"))
import make_trajectories as networks  # noqa: E402


def main():
    name, batch, samples, epochs = sys.argv[1], *map(int, sys.argv[2:5])
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = getattr(networks, name)()
    trained = network.layers
    if name == "mlp":
        trained.insert(3, torch.nn.Dropout(0.2))  # As in `gpubench --model mlp`; make_trajectories.py leaves it out.
    if ranks > 1:
        distributed.init_process_group("gloo")
        trained = torch.nn.parallel.DistributedDataParallel(trained)
    shape = (3, 32, 32) if name == "resnet50" else (1, 28, 28)
    inputs = torch.rand(samples, *shape)
    targets = torch.randint(0, 10, (samples,))
    optimizer = torch.optim.Adam(trained.parameters(), lr=1e-3, fused=True)
    own = batch // ranks
    times = []
    for _ in range(epochs):
        order = torch.randperm(samples, generator=torch.Generator().manual_seed(1))
        if ranks > 1:
            distributed.barrier()
        start = time.monotonic()
        for first in range(0, samples - batch + 1, batch):
            part = order[first + rank * own : first + (rank + 1) * own]
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(trained(inputs[part]), targets[part]).backward()
            optimizer.step()
        taken = torch.tensor([time.monotonic() - start])
        if ranks > 1:
            distributed.all_reduce(taken, distributed.ReduceOp.MAX)
        times.append(taken.item())
    if rank == 0:
        print(f"{samples // batch * batch / statistics.median(times[1:]):.0f}")
    if ranks > 1:
        distributed.destroy_process_group()


main()
