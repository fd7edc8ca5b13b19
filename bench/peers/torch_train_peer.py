"""Training in Python, for comparison with gpubench.

usage: torch_train_peer.py --model mlp|cnn|lstm|cnn0|cnn3|resnet50|gpt2|vit --batch 8 --device cpu
                           --mode loader|eager|compile|reduce-overhead|graph [--precision fp32|tf32|bf16]
                           [--channels-last] [--sizes layers=4,heads=4] [--epochs 3] [--samples N]
Prints one JSON line with the throughput in samples (images, sequences) per second: samples_per_second of
the mean timed epoch, and best of the fastest one. The first epoch is discarded.

loader:          batches of a DataLoader with two processes, unfused Adam; what most scripts do
eager:           data on the device, one permutation per epoch, fused AdamW
compile:         eager with torch.compile of the network and its loss
reduce-overhead: compile in the mode of this name, which records CUDA graphs
graph:           eager with whole steps in one CUDA graph

bf16 is autocast. The data is random. On a CPU an expert sets MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_
and MALLOC_TOP_PAD_, so that large tensors do not repeat their page faults; see bench/plans/common.sh.
"""
import argparse
import json
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import networks

# As in gpubench: gpt2 of llm.c, vit of Beyer et al. (arXiv 2205.01580), others with Adam at a constant rate.
PLAIN = dict(lr=1e-3, betas=(0.9, 0.999), weight_decay=0.0, clip=0, warmup=0, steps=0)
RECIPES = {"gpt2": dict(lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, clip=1.0, warmup=700, steps=19073),
           "vit": dict(lr=1e-3, betas=(0.9, 0.999), weight_decay=0.1, clip=1.0, warmup=10000, steps=112590)}
SAMPLES = {"gpt2": 64, "vit": 1024, "resnet50": 512, "cnn3": 1024}


class WithLoss(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, inputs, targets):
        logits = self.network(inputs)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1))


class Trainer:
    def __init__(self, a, device):
        self.network, self.sizes = networks.build(a.model, a.sizes)
        self.parameters = list(self.network.to(device).train().parameters())
        if a.channels_last:
            self.network.to(memory_format=torch.channels_last)
        self.recipe = recipe = RECIPES.get(a.model, PLAIN)
        # Biases and normalization do not decay.
        groups = [dict(params=[p for p in self.parameters if p.dim() >= 2], weight_decay=recipe["weight_decay"]),
                  dict(params=[p for p in self.parameters if p.dim() < 2], weight_decay=0.0)]
        self.optimizer = torch.optim.AdamW(groups, lr=recipe["lr"], betas=recipe["betas"], fused=a.mode != "loader",
                                           capturable=a.mode == "graph")
        self.model = WithLoss(self.network)
        if a.mode in ("compile", "reduce-overhead"):
            self.model = torch.compile(self.model, mode="default" if a.mode == "compile" else a.mode)
        self.cast = lambda: torch.autocast(device.type, torch.bfloat16, enabled=a.precision == "bf16")
        self.done = 0
        self.frees_gradients = a.mode != "graph"

    def scheduled_rate(self):
        """Returns the rate after a linear warm-up and a cosine decay."""
        rate, warmup, steps = (self.recipe[key] for key in ("lr", "warmup", "steps"))
        if self.done < warmup:
            return rate * (self.done + 1) / warmup
        return rate * 0.5 * (1 + math.cos(math.pi * min(1.0, (self.done - warmup) / (steps - warmup))))

    def step(self, inputs, targets):
        if self.recipe["steps"]:
            rate = self.scheduled_rate()
            for group in self.optimizer.param_groups:
                group["lr"] = rate
        with self.cast():
            loss = self.model(inputs, targets)
        loss.backward()
        if self.recipe["clip"]:
            nn.utils.clip_grad_norm_(self.parameters, self.recipe["clip"])
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=self.frees_gradients)
        self.done += 1
        return loss.detach().clone()  # The next step overwrites outputs of CUDA graphs.


class RecordedTrainer(Trainer):
    """Replays a CUDA graph for full batches. The rate keeps the value of the recording."""

    def record(self, inputs, targets):
        self.inputs, self.targets = inputs.clone(), targets.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                super().step(self.inputs, self.targets)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = super().step(self.inputs, self.targets)

    def step(self, inputs, targets):
        if len(inputs) != len(self.inputs):
            return super().step(inputs, targets)
        self.inputs.copy_(inputs)
        self.targets.copy_(targets)
        self.graph.replay()
        return self.loss.clone()


def batches(a, x, y, device):
    """Returns a function that yields the batches of an epoch."""
    if a.mode == "loader":
        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), a.batch, shuffle=True, num_workers=2,
                                             persistent_workers=True, pin_memory=device.type == "cuda")
        return lambda: ((inputs.to(device, non_blocking=True), targets.to(device, non_blocking=True)) for inputs, targets in loader)
    x, y = x.to(device), y.to(device)

    def resident():
        order = torch.randperm(len(x), device=device)
        for i in range(0, len(x), a.batch):
            rows = order[i:i + a.batch]
            yield x[rows], y[rows]
    return resident


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--model", choices=networks.SIZES, default="gpt2")
    p.add_argument("--mode", choices=("loader", "eager", "compile", "reduce-overhead", "graph"), default="eager")
    p.add_argument("--precision", choices=("fp32", "tf32", "bf16"), default="fp32")
    for name, value in (("device", "cpu"), ("sizes", "")):
        p.add_argument("--" + name, default=value)
    for name, value in (("batch", 8), ("epochs", 3), ("samples", 0), ("threads", 0)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--channels-last", action="store_true")
    return p.parse_args()


def main():
    a = arguments()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    device = torch.device(a.device)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.precision == "tf32"
    torch.backends.cudnn.benchmark = True
    start = time.perf_counter()
    trainer = (RecordedTrainer if a.mode == "graph" else Trainer)(a, device)
    x, y = networks.synthetic(a.model, trainer.sizes, a.samples or SAMPLES.get(a.model, 20000))
    placed = lambda t: t.contiguous(memory_format=torch.channels_last) if a.channels_last and t.dim() == 4 else t
    epoch = batches(a, x, y, device)
    if a.mode == "graph":
        trainer.record(placed(x[:a.batch].to(device)), y[:a.batch].to(device))
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    times, losses = [], []
    for _ in range(a.epochs):
        wait()
        begun = time.perf_counter()
        for inputs, targets in epoch():
            losses.append(trainer.step(placed(inputs), targets))
        wait()
        times.append(time.perf_counter() - begun)
        if len(times) == 1:
            first = time.perf_counter() - start
    kept = times[1:] or times
    mean = sum(kept) / len(kept)
    print(json.dumps(dict(
        peer="pytorch " + torch.__version__, model=a.model, sizes=trainer.sizes, batch=a.batch, device=a.device, mode=a.mode,
        precision=a.precision, channels_last=a.channels_last, params=sum(p.numel() for p in trainer.parameters),
        samples_per_second=round(len(x) / mean, 2), best=round(len(x) / min(kept), 2), epoch_s=[round(t, 4) for t in times],
        startup_s=round(first - mean, 3), first_loss=round(losses[0].item(), 4), last_loss=round(losses[-1].item(), 4))), flush=True)


if __name__ == "__main__":
    main()
