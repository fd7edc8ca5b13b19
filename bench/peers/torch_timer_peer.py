"""One PyTorch operation timed by torch.utils.benchmark.Timer, for comparison with `gpubench ops`.

usage: torch_timer_peer.py --op matmul --sizes "256x256 256x256" [--device cpu] [--threads 2] [--min-run-time 0.5]
Prints one JSON line with the median seconds of a call. Sizes have gpubench's order: channels last.
"""
import argparse
import json

import torch
import torch.nn.functional as F
from torch.utils.benchmark import Timer


def channels_first(tensor):
    """Returns a view with PyTorch's order of dimensions; the memory layout stays channels-last."""
    return tensor.movedim(-1, 1)


# Plain expressions, because the time of a wrapping function would be included.
STATEMENTS = {
    "argmax": "x[0].argmax(axis)",
    "conv2d": "F.conv2d(x[0], x[1])",
    "layer_norm": "torch.layer_norm(x[0], last)",
    "linear": "F.linear(x[0], x[1], x[2])",
    "matmul": "torch.matmul(x[0], x[1])",
    "relu": "torch.relu(x[0])",
    "selu": "torch.selu(x[0])",
    "sigmoid": "torch.sigmoid(x[0])",
    "softmax": "torch.softmax(x[0], axis)",
    "sort": "torch.sort(x[0], axis)",
    "sum": "torch.sum(x[0], axis)",
    "sum_all": "torch.sum(x[0])",
}


def make_inputs(op, words, device):
    tensors = [torch.randn([int(size) for size in word.split("x")], device=device) for word in words]
    if op == "linear":
        tensors[1] = tensors[1].t().contiguous()
    return [channels_first(tensor) for tensor in tensors] if op == "conv2d" else tensors


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--op", required=True, choices=STATEMENTS)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--min-run-time", type=float, default=0.5)
    options = parser.parse_args()
    words = options.sizes.split()
    axis = next((int(word[5:]) for word in words if word.startswith("axis=")), None)
    tensors = make_inputs(options.op, [word for word in words if "axis" not in word], options.device)
    with torch.no_grad():
        names = {"torch": torch, "F": F, "x": tensors, "axis": axis, "last": tensors[0].shape[-1:]}
        timer = Timer(STATEMENTS[options.op], globals=names, num_threads=options.threads)
        measured = timer.blocked_autorange(min_run_time=options.min_run_time)
    print(json.dumps({"seconds": measured.median}))


main()
