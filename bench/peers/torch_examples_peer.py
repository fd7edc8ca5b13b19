"""The four workloads of the PyTorch examples in Python, for comparison with gpubench.

usage: torch_examples_peer.py --model dcgan|siamese|transformer_lm|vae --batch 64 --device cpu --mode loader|eager|compile
                              [--precision fp32|tf32|bf16] [--channels-last] [--epochs 3] [--samples N] [--data DIR]
                              [--emsize 200] [--nhid 200] [--nlayers 2] [--nhead 2] [--bptt 35]
Prints one JSON line with the throughput in samples (images, pairs, sequences of bptt tokens) per
second: images_per_s of the mean timed epoch, and best of the fastest one. The first epoch is
discarded.

loader:   DataLoader, host-to-device copy per batch, the examples' optimizers
eager:    data on the device, one permutation per epoch, fused optimizers if torch has them
compile:  eager with torch.compile of the network; transformer_lm only

The data is synthetic; with --data, siamese and vae read Fashion-MNIST from DIR/fashion-mnist.
"""
import argparse
import gzip
import json
import math
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY = 33278


def optimizer(kind, parameters, is_resident, **options):
    """Returns a fused optimizer if the data is resident and torch has one."""
    if is_resident and kind is not torch.optim.Adadelta:
        options["fused"] = True
    return kind(parameters, **options)


def bce(logits, targets, **options):
    """Returns the binary cross-entropy of sigmoid(logits) as in the examples, outside autocast."""
    return F.binary_cross_entropy(torch.sigmoid(logits.float()), targets, **options)


class Workload(nn.Module):
    """A network, its data and its training step. `cast` returns the autocast context for the layers."""

    def prepare(self, is_resident, cast):
        self.cast = cast
        self.optimizers = self.make_optimizers(is_resident)

    def end_epoch(self):
        pass

    def update(self, loss):
        self.optimizers[0].zero_grad()
        loss.backward()
        self.optimizers[0].step()


class Dcgan(Workload):
    samples = 1024

    def __init__(self, options):
        super().__init__()
        up = lambda i, o, *place: nn.ConvTranspose2d(i, o, 4, *place, bias=False)
        down = lambda i, o, *place: nn.Conv2d(i, o, 4, *place, bias=False)
        generator, discriminator = [up(100, 512, 1, 0), nn.BatchNorm2d(512), nn.ReLU(True)], [down(3, 64, 2, 1)]
        for n in (512, 256, 128):
            generator += [up(n, n // 2, 2, 1), nn.BatchNorm2d(n // 2), nn.ReLU(True)]
        for n in (64, 128, 256):
            discriminator += [nn.LeakyReLU(0.2, True), down(n, 2 * n, 2, 1), nn.BatchNorm2d(2 * n)]
        self.generator = nn.Sequential(*generator, up(64, 3, 2, 1), nn.Tanh())
        self.discriminator = nn.Sequential(*discriminator, nn.LeakyReLU(0.2, True), down(512, 1, 1, 0))
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
                nn.init.normal_(module.weight, 0, 0.02)
            if isinstance(module, nn.BatchNorm2d):
                nn.init.normal_(module.weight, 1, 0.02)

    def data(self, count, folder):
        return torch.rand(count, 3, 64, 64) * 2 - 1, torch.zeros(count, dtype=torch.long)

    def make_optimizers(self, is_resident):
        return [optimizer(torch.optim.Adam, part.parameters(), is_resident, lr=2e-4, betas=(0.5, 0.999))
                for part in (self.discriminator, self.generator)]

    def judge(self, images, label):
        with self.cast():
            logits = self.discriminator(images)
        return bce(logits.flatten(), torch.full((len(images),), float(label), device=images.device))

    def step(self, images, _):
        self.optimizers[0].zero_grad()
        self.judge(images, 1).backward()
        with self.cast():
            fake = self.generator(torch.randn(len(images), 100, 1, 1, device=images.device))
        self.judge(fake.detach(), 0).backward()
        self.optimizers[0].step()
        self.optimizers[1].zero_grad()
        self.judge(fake, 1).backward()
        self.optimizers[1].step()


class BasicBlock(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        conv = lambda a, b, k, s: nn.Conv2d(a, b, k, s, k // 2, bias=False)
        self.residual = nn.Sequential(conv(i, o, 3, stride), nn.BatchNorm2d(o), nn.ReLU(True), conv(o, o, 3, 1), nn.BatchNorm2d(o))
        self.shortcut = nn.Identity() if i == o else nn.Sequential(conv(i, o, 1, stride), nn.BatchNorm2d(o))

    def forward(self, x):
        return F.relu(self.residual(x) + self.shortcut(x), inplace=True)


class Siamese(Workload):
    samples = 2048

    def __init__(self, options):
        super().__init__()
        layers = [nn.Conv2d(1, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
        for i, o in ((64, 64), (64, 128), (128, 256), (256, 512)):
            layers += [BasicBlock(i, o, 1 if i == o else 2), BasicBlock(o, o, 1)]
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.comparison = nn.Sequential(nn.Linear(1024, 256), nn.ReLU(True), nn.Linear(256, 1))
        for layer in (self.comparison[0], self.comparison[2]):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.constant_(layer.bias, 0.01)

    def data(self, count, folder):
        images, labels = fashion_mnist(count, folder)
        order = torch.randperm(len(images))
        return torch.cat([images, images[order]], 1), (labels == labels[order]).long()

    def make_optimizers(self, is_resident):
        adadelta = optimizer(torch.optim.Adadelta, self.parameters(), is_resident, lr=1.0)
        self.schedule = torch.optim.lr_scheduler.StepLR(adadelta, step_size=1, gamma=0.7)
        return [adadelta]

    def end_epoch(self):
        self.schedule.step()

    def step(self, pairs, targets):
        with self.cast():
            branches = [self.features(image) for image in pairs.split(1, 1)]
            logits = self.comparison(torch.cat(branches, 1))
        self.update(bce(logits.squeeze(1), targets.float()))


class TransformerLm(Workload):
    samples = 2000

    def __init__(self, options):
        super().__init__()
        self.length, width = options.bptt, options.emsize
        layer = nn.TransformerEncoderLayer(width, options.nhead, options.nhid, dropout=0.2)
        self.encoder = nn.TransformerEncoder(layer, options.nlayers, enable_nested_tensor=False)
        self.embedding, self.decoder = nn.Embedding(VOCABULARY, width), nn.Linear(width, VOCABULARY)
        self.dropout, self.scale = nn.Dropout(0.2), math.sqrt(width)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        angles = torch.arange(self.length).unsqueeze(1) * torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        positions = torch.stack([angles.sin(), angles.cos()], 2).flatten(1)[:, :width]
        self.register_buffer("positions", positions.unsqueeze(1))
        self.register_buffer("mask", torch.full((self.length, self.length), -math.inf).triu(1))

    def data(self, count, folder):
        tokens = torch.randint(VOCABULARY, (count * self.length + 1,))
        return tokens[:-1].view(count, self.length), tokens[1:].view(count, self.length)

    def make_optimizers(self, is_resident):
        return [optimizer(torch.optim.SGD, self.parameters(), is_resident, lr=20)]

    def forward(self, tokens):
        embedded = self.dropout(self.embedding(tokens.t()) * self.scale + self.positions)
        return self.decoder(self.encoder(embedded, mask=self.mask))

    def step(self, tokens, targets):
        with self.cast():
            logits = self(tokens)
        loss = F.nll_loss(F.log_softmax(logits.flatten(0, 1), 1), targets.t().flatten())
        self.optimizers[0].zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters(), 0.25)
        self.optimizers[0].step()


class Vae(Workload):
    samples = 20000

    def __init__(self, options):
        super().__init__()
        self.encoder, self.decoder, self.pixels = nn.Linear(784, 400), nn.Linear(20, 400), nn.Linear(400, 784)
        self.mean, self.log_variance = nn.Linear(400, 20), nn.Linear(400, 20)

    def data(self, count, folder):
        return fashion_mnist(count, folder)

    def make_optimizers(self, is_resident):
        return [optimizer(torch.optim.Adam, self.parameters(), is_resident, lr=1e-3)]

    def step(self, images, _):
        x = images.flatten(1)
        with self.cast():
            hidden = F.relu(self.encoder(x))
            mean, log_variance = self.mean(hidden), self.log_variance(hidden)
            code = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
            logits = self.pixels(F.relu(self.decoder(code)))
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        self.update(bce(logits, x, reduction="sum") + divergence)


def fashion_mnist(count, folder):
    if not folder:
        return torch.rand(count, 1, 28, 28), torch.randint(10, (count,))

    def read(name, offset):
        with gzip.open(os.path.join(folder, "fashion-mnist", f"train-{name}-ubyte.gz")) as file:
            return np.frombuffer(file.read(), np.uint8, offset=offset)

    images = read("images-idx3", 16).reshape(-1, 1, 28, 28)[:count]
    return torch.from_numpy(images.astype(np.float32) / 255), torch.from_numpy(read("labels-idx1", 8)[:count].astype(np.int64))


MODELS = {"dcgan": Dcgan, "siamese": Siamese, "transformer_lm": TransformerLm, "vae": Vae}


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--model", choices=MODELS, default="vae")
    p.add_argument("--mode", choices=("eager", "loader", "compile"), default="eager")
    p.add_argument("--precision", choices=("fp32", "tf32", "bf16"), default="fp32")
    for name, value in (("device", "cpu"), ("data", "")):
        p.add_argument("--" + name, default=value)
    for name, value in (("batch", 128), ("epochs", 3), ("samples", 0), ("workers", 2), ("threads", 0),
                        ("emsize", 200), ("nhid", 200), ("nlayers", 2), ("nhead", 2), ("bptt", 35)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--channels-last", action="store_true")
    a = p.parse_args()
    if a.data and a.model in ("dcgan", "transformer_lm"):
        p.error(f"--data: {a.model} has no reader here; leave it out for noise")
    if a.mode == "compile" and a.model != "transformer_lm":
        p.error(f"--mode compile: unsupported for {a.model}, which has several networks; use --mode eager")
    return a


def epoch_function(a, work, device, x, y):
    """Returns a function that runs one epoch."""
    is_image = x.dim() == 4
    placed = lambda t: t.contiguous(memory_format=torch.channels_last) if a.channels_last and is_image else t
    if a.mode != "loader":
        x, y = x.to(device), y.to(device)

        def resident():
            order = torch.randperm(len(x), device=device)
            for i in range(0, len(x), a.batch):
                rows = order[i:i + a.batch]
                work.step(placed(x[rows]), y[rows])
            work.end_epoch()
        return resident

    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), a.batch, shuffle=True, num_workers=a.workers,
                                         pin_memory=device.type == "cuda", persistent_workers=a.workers > 0)

    def loaded():
        for xb, yb in loader:
            work.step(placed(xb.to(device, non_blocking=True)), yb.to(device, non_blocking=True))
        work.end_epoch()
    return loaded


def main():
    a = arguments()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    device = torch.device(a.device)
    is_tf32 = a.precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_tf32
    torch.backends.cudnn.benchmark = True
    start = time.perf_counter()
    work = MODELS[a.model](a)
    x, y = work.data(a.samples or work.samples, a.data)
    work.to(device).train()
    if a.channels_last:
        work.to(memory_format=torch.channels_last)
    if a.mode == "compile":
        work.compile()
    work.prepare(a.mode != "loader", lambda: torch.autocast(device.type, torch.bfloat16, enabled=a.precision == "bf16"))
    epoch = epoch_function(a, work, device, x, y)
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    times = []
    for _ in range(a.epochs):
        wait()
        begun = time.perf_counter()
        epoch()
        wait()
        times.append(time.perf_counter() - begun)
        if len(times) == 1:
            first = time.perf_counter() - start
    kept = times[1:] or times
    mean = sum(kept) / len(kept)
    per_second = len(x) / mean
    print(json.dumps(dict(
        peer="pytorch " + torch.__version__, model=a.model, batch=a.batch, device=a.device, mode=a.mode, precision=a.precision,
        channels_last=a.channels_last, params=sum(q.numel() for q in work.parameters()), images_per_s=round(per_second, 1),
        best=round(len(x) / min(kept), 1), epoch_s=[round(t, 4) for t in times], startup_s=round(first - mean, 3),
        **(dict(tokens_per_s=round(per_second * a.bptt, 1)) if a.model == "transformer_lm" else {}))), flush=True)


if __name__ == "__main__":
    main()
