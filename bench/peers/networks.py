"""The networks of gpubench that several peers need, with the same parameter counts.

`build(name, sizes)` takes sizes as `gpubench --model-arg` does: "layers=4,heads=4", or a preset.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

GPT2 = dict(layers=12, heads=12, width=768, context=1024, vocabulary=50257)
VIT = dict(image=32, patch=4, width=192, layers=12, heads=3, classes=10)
SIZES = {**{name: {} for name in ("mlp", "cnn", "lstm", "cnn0", "cnn3")}, "resnet50": dict(image=32, classes=10), "gpt2": GPT2, "vit": VIT}
TINY, SMALL, BASE = dict(width=192, heads=3), dict(width=384, heads=6), dict(width=768, heads=12)
IMAGENET = dict(image=224, patch=16, classes=1000)
PRESETS = {"ti4": TINY, "s4": SMALL, "ti16": TINY | IMAGENET, "s16": SMALL | IMAGENET, "b16": BASE | IMAGENET}


class Attention(nn.Module):
    def __init__(self, width, heads, is_causal):
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        samples, positions, width = x.shape
        q, k, v = (part.view(samples, positions, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).split(width, dim=2))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        return self.out(attended.transpose(1, 2).reshape(samples, positions, width))


class Block(nn.Module):
    """A pre-norm transformer block."""

    def __init__(self, width, heads, is_causal, gelu, epsilon):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)
        self.attention = Attention(width, heads, is_causal)
        self.dense = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(gelu), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.dense(self.norm2(x))


class Gpt2(nn.Module):
    def __init__(self, layers, heads, width, context, vocabulary):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads, True, "tanh", 1e-5) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, 0, 0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        for block in self.blocks:
            for layer in (block.attention.out, block.dense[2]):
                nn.init.normal_(layer.weight, 0, 0.02 / math.sqrt(2 * layers))

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Vit(nn.Module):
    def __init__(self, image, patch, width, layers, heads, classes):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.empty(1, (image // patch) ** 2 + 1, width))
        self.blocks = nn.Sequential(*(Block(width, heads, False, "none", 1e-6) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width, 1e-6), nn.Linear(width, classes)
        nn.init.trunc_normal_(self.positions, std=0.02)
        for module in self.blocks.modules():
            if isinstance(module, nn.Linear):
                nn.init.trunc_normal_(module.weight, std=0.02)
                nn.init.zeros_(module.bias)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1) + self.positions
        return self.head(self.norm(self.blocks(x))[:, 0])


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride, is_first):
        super().__init__()
        norm = lambda n: nn.BatchNorm2d(n, eps=1.001e-5, momentum=0.01)
        self.residual = nn.Sequential(
            nn.Conv2d(channels, width, 1, stride), norm(width), nn.ReLU(True), nn.Conv2d(width, width, 3, padding=1), norm(width),
            nn.ReLU(True), nn.Conv2d(width, 4 * width, 1), norm(4 * width))
        self.shortcut = nn.Sequential(nn.Conv2d(channels, 4 * width, 1, stride), norm(4 * width)) if is_first else nn.Identity()

    def forward(self, x):
        return F.relu(self.residual(x) + self.shortcut(x))


def resnet50(image, classes):
    layers = [nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64, eps=1.001e-5, momentum=0.01), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(channels, width, 1 if block else stride, block == 0))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


def mlp():
    return nn.Sequential(nn.Flatten(), *dense(784, 512), nn.Dropout(0.2), *dense(512, 64), nn.Linear(64, 10))


class Lstm(nn.Module):
    """Reads an image row by row."""

    def __init__(self):
        super().__init__()
        self.rows, self.head = nn.LSTM(28, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, images):
        return self.head(self.rows(images.view(-1, 28, 28))[0][:, -1])


def dense(inputs, outputs):
    return nn.Linear(inputs, outputs), nn.ReLU(True)


def convolution(channels, filters, side=3, padding=0):
    return nn.Conv2d(channels, filters, side, padding=padding), nn.ReLU(True)


def cnn(channels=1, features=576):
    return nn.Sequential(
        *convolution(channels, 32), nn.MaxPool2d(2), *convolution(32, 64), nn.MaxPool2d(2), *convolution(64, 64), nn.Flatten(),
        *dense(features, 64), nn.Linear(64, 10))


def cnn0():
    return cnn(3, 1024)


def cnn3():
    return nn.Sequential(
        *convolution(3, 64, 7, 3), nn.MaxPool2d(2), *convolution(64, 128, padding=1), *convolution(128, 128, padding=1), nn.MaxPool2d(2),
        *convolution(128, 256, padding=1), *convolution(256, 256, padding=1), nn.MaxPool2d(2), nn.Flatten(),
        *dense(4096, 128), nn.Dropout(0.5), *dense(128, 64), nn.Dropout(0.5), nn.Linear(64, 10))


BUILDERS = {"mlp": mlp, "cnn": cnn, "lstm": Lstm, "cnn0": cnn0, "cnn3": cnn3, "resnet50": resnet50, "gpt2": Gpt2, "vit": Vit}


def build(name, sizes=""):
    """Returns the network and its sizes."""
    chosen = dict(SIZES[name])
    for word in sizes.split(",") if sizes else []:
        key, _, value = word.partition("=")
        chosen |= {key: int(value)} if value else PRESETS[key]
    return BUILDERS[name](**chosen), chosen


def synthetic(name, sizes, count):
    """Returns random inputs and targets."""
    if name == "gpt2":
        tokens = torch.randint(sizes["vocabulary"], (count * sizes["context"] + 1,))
        return tokens[:-1].view(count, -1), tokens[1:].view(count, -1)
    side = sizes.get("image", 32)
    shape = (1, 28, 28) if name in ("mlp", "cnn", "lstm") else (3, side, side)
    return torch.rand(count, *shape), torch.randint(sizes.get("classes", 10), (count,))
