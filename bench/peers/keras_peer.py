"""Training by the `fit` of Keras on TensorFlow, for comparison with gpubench.

usage: keras_peer.py --model mlp|cnn|lstm|cnn0|cnn3|resnet50 [--batch 1024] [--epochs 3] [--samples 20000]
Prints one JSON line with the throughput in images per second: samples_per_second of the mean timed epoch,
and best of the fastest one. The first epoch is discarded. The data is random.
"""
import argparse
import json
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
from keras import layers

GREY, COLOR = (28, 28, 1), (32, 32, 3)


def convolution(filters, side=3, padding="valid"):
    return layers.Conv2D(filters, side, padding=padding, activation="relu")


def small_cnn():
    return [convolution(32), layers.MaxPooling2D(), convolution(64), layers.MaxPooling2D(), convolution(64), layers.Flatten(),
            layers.Dense(64, "relu"), layers.Dense(10)]


def cnn3():
    network = [convolution(64, 7, "same"), layers.MaxPooling2D()]
    for filters in (128, 256):
        network += [convolution(filters, 3, "same"), convolution(filters, 3, "same"), layers.MaxPooling2D()]
    network.append(layers.Flatten())
    for width in (128, 64):
        network += [layers.Dense(width, "relu"), layers.Dropout(0.5)]
    return [*network, layers.Dense(10)]


def build(name):
    """Returns the network and the shape of an image."""
    if name == "resnet50":
        return keras.applications.ResNet50(weights=None, input_shape=COLOR, classes=10, classifier_activation=None), COLOR
    shape, network = {
        "mlp": (GREY, lambda: [layers.Flatten(), layers.Dense(512, "relu"), layers.Dropout(0.2), layers.Dense(64, "relu"),
                               layers.Dense(10)]),
        "lstm": (GREY[:2], lambda: [layers.LSTM(128), layers.Dense(10)]),
        "cnn": (GREY, small_cnn), "cnn0": (COLOR, small_cnn), "cnn3": (COLOR, cnn3)}[name]
    return keras.Sequential([layers.Input(shape), *network()]), shape


class EpochTimer(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.times = []

    def on_epoch_begin(self, epoch, logs=None):
        self.begun = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.times.append(time.perf_counter() - self.begun)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--model", default="cnn")
    for name, value in (("batch", 1024), ("epochs", 3), ("samples", 20000)):
        p.add_argument("--" + name, type=int, default=value)
    a = p.parse_args()
    network, shape = build(a.model)
    network.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    random = np.random.default_rng(0)
    timer = EpochTimer()
    network.fit(random.random((a.samples, *shape), np.float32), random.integers(0, 10, a.samples), a.batch, a.epochs, verbose=0,
                callbacks=[timer])
    kept = timer.times[1:] or timer.times
    print(json.dumps(dict(
        peer="keras " + keras.__version__, model=a.model, batch=a.batch, params=sum(int(np.prod(w.shape)) for w in network.trainable_weights),
        samples_per_second=round(a.samples * len(kept) / sum(kept), 2), best=round(a.samples / min(kept), 2),
        epoch_s=[round(t, 4) for t in timer.times])))


if __name__ == "__main__":
    main()
