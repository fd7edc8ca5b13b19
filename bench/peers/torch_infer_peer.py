"""Inference in Python, for comparison with `gpubench infer`.

usage: torch_infer_peer.py --model cnn|resnet50|gpt2|vit --scenario offline|single-stream --batch 64 --device cpu
                           --mode eager|compile|reduce-overhead|script [--precision fp32|tf32|bf16|amp-bf16]
                           [--channels-last] [--sizes layers=4,heads=4] [--epochs 3] [--samples N]
Prints one JSON line with the throughput in samples (images, sequences) per second: samples_per_second of
the mean timed epoch, and best of the fastest one. The first epoch is discarded. single-stream adds
p50_seconds, p90_seconds and p99_seconds, the latencies of a sample.

offline:       passes over the samples in batches
single-stream: one sample at a time; each waits for the one before

eager:           module calls
compile:         torch.compile
reduce-overhead: compile in the mode of this name, which records CUDA graphs
script:          traced, frozen and optimized TorchScript

bf16 converts the network and its inputs, amp-bf16 is autocast. The data is random and on the device. gpt2
computes the logits of all positions.
"""
import argparse
import json
import time

import torch

import networks

SAMPLES = {"cnn": 4096, "resnet50": 256, "gpt2": 64, "vit": 512}


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--model", choices=networks.SIZES, default="cnn")
    p.add_argument("--scenario", choices=("offline", "single-stream"), default="offline")
    p.add_argument("--mode", choices=("eager", "compile", "reduce-overhead", "script"), default="eager")
    p.add_argument("--precision", choices=("fp32", "tf32", "bf16", "amp-bf16"), default="fp32")
    for name, value in (("device", "cpu"), ("sizes", "")):
        p.add_argument("--" + name, default=value)
    for name, value in (("batch", 64), ("epochs", 3), ("samples", 0), ("threads", 0)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--channels-last", action="store_true")
    return p.parse_args()


def cast(a, **options):
    return torch.autocast(torch.device(a.device).type, torch.bfloat16, enabled=a.precision == "amp-bf16", **options)


def prepare(a, device):
    """Returns the network as the mode runs it, and the samples."""
    network, sizes = networks.build(a.model, a.sizes)
    x, _ = networks.synthetic(a.model, sizes, a.samples or SAMPLES[a.model])
    network, x = network.to(device).eval(), x.to(device)
    if a.precision == "bf16":
        network = network.bfloat16()
        x = x.bfloat16() if x.is_floating_point() else x
    if a.channels_last and x.dim() == 4:
        network, x = network.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
    if a.mode == "script":
        with torch.no_grad(), cast(a, cache_enabled=False):
            network = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(network, x[:a.batch])))
    elif a.mode != "eager":
        network = torch.compile(network, mode="default" if a.mode == "compile" else a.mode)
    return network, sizes, x


def main():
    a = arguments()
    if a.threads:
        torch.set_num_threads(a.threads)
    if a.scenario == "single-stream":
        a.batch = 1
    torch.manual_seed(0)
    device = torch.device(a.device)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.precision == "tf32"
    torch.backends.cudnn.benchmark = True
    start = time.perf_counter()
    network, sizes, x = prepare(a, device)
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    times, latencies = [], []
    with torch.inference_mode(), cast(a):
        for _ in range(a.epochs):
            wait()
            begun = time.perf_counter()
            ends = [begun]
            for i in range(0, len(x), a.batch):
                logits = network(x[i:i + a.batch])
                if a.scenario == "single-stream":
                    wait()
                    ends.append(time.perf_counter())
            wait()
            times.append(time.perf_counter() - begun)
            if len(times) == 1:
                first = time.perf_counter() - start
            if len(times) > 1 or a.epochs == 1:
                latencies += [after - before for before, after in zip(ends, ends[1:])]
    kept = times[1:] or times
    mean = sum(kept) / len(kept)
    quantiles = {}
    if latencies:
        values = torch.tensor(latencies, dtype=torch.double).quantile(torch.tensor([0.5, 0.9, 0.99], dtype=torch.double))
        quantiles = {f"p{name}_seconds": value for name, value in zip((50, 90, 99), values.tolist())}
    print(json.dumps(dict(
        peer="pytorch " + torch.__version__, model=a.model, sizes=sizes, scenario=a.scenario, batch=a.batch, device=a.device,
        mode=a.mode, precision=a.precision, channels_last=a.channels_last, logits=list(logits.shape),
        samples_per_second=round(len(x) / mean, 2), best=round(len(x) / min(kept), 2), epoch_s=[round(t, 4) for t in times],
        startup_s=round(first - mean, 3), **quantiles)), flush=True)


if __name__ == "__main__":
    main()
