"""Training of GPT-2, ViT and ResNet-50 in Python, for comparison with gpubench.

usage: torch_modern_peer.py --model gpt2|vit|resnet50 --batch 8 --device cpu --mode eager|compile|reduce-overhead
                            [--precision fp32|tf32|bf16] [--channels-last] [--sizes layers=4,heads=4] [--epochs 3]
                            [--samples N]
Prints one JSON line with the throughput in samples (images, sequences) per second: samples_per_second of
the mean timed epoch, and best of the fastest one. The first epoch is discarded.

eager:           data on the device, one permutation per epoch, fused AdamW
compile:         eager with torch.compile of the network
reduce-overhead: compile in the mode of this name, which records CUDA graphs

bf16 is autocast. The data is random.
"""
import argparse
import json
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import networks

# As in gpubench: gpt2 of llm.c, vit of Beyer et al. (arXiv 2205.01580), resnet50 with Adam at a constant rate.
RECIPES = {"gpt2": dict(lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, clip=1.0, warmup=700, steps=19073),
           "vit": dict(lr=1e-3, betas=(0.9, 0.999), weight_decay=0.1, clip=1.0, warmup=10000, steps=112590),
           "resnet50": dict(lr=1e-3, betas=(0.9, 0.999), weight_decay=0.0, clip=0, warmup=0, steps=0)}
SAMPLES = {"gpt2": 64, "vit": 1024, "resnet50": 512}


class Trainer:
    def __init__(self, a, device):
        self.network, self.sizes = networks.build(a.model, a.sizes)
        self.parameters = list(self.network.to(device).train().parameters())
        if a.channels_last:
            self.network.to(memory_format=torch.channels_last)
        self.recipe = recipe = RECIPES[a.model]
        # Biases and normalization do not decay.
        groups = [dict(params=[p for p in self.parameters if p.dim() >= 2], weight_decay=recipe["weight_decay"]),
                  dict(params=[p for p in self.parameters if p.dim() < 2], weight_decay=0.0)]
        self.optimizer = torch.optim.AdamW(groups, lr=recipe["lr"], betas=recipe["betas"], fused=True)
        self.model = self.network
        if a.mode != "eager":
            self.model = torch.compile(self.network, mode="default" if a.mode == "compile" else a.mode)
        self.cast = lambda: torch.autocast(device.type, torch.bfloat16, enabled=a.precision == "bf16")
        self.done = 0

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
            logits = self.model(inputs)
            loss = F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1))
        loss.backward()
        if self.recipe["clip"]:
            nn.utils.clip_grad_norm_(self.parameters, self.recipe["clip"])
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.done += 1
        return loss.detach()


def arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--model", choices=RECIPES, default="gpt2")
    p.add_argument("--mode", choices=("eager", "compile", "reduce-overhead"), default="eager")
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
    trainer = Trainer(a, device)
    x, y = (part.to(device) for part in networks.synthetic(a.model, trainer.sizes, a.samples or SAMPLES[a.model]))
    placed = lambda t: t.contiguous(memory_format=torch.channels_last) if a.channels_last and t.dim() == 4 else t
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    times, losses = [], []
    for _ in range(a.epochs):
        wait()
        begun = time.perf_counter()
        order = torch.randperm(len(x), device=device)
        for i in range(0, len(x), a.batch):
            rows = order[i:i + a.batch]
            losses.append(trainer.step(placed(x[rows]), y[rows]))
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
