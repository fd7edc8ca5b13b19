#pragma once
// A model from layers that map samples to logits.

#include <memory>

#include <torch/nn/modules/container/sequential.h>

#include "gpubench/model.h"

namespace gpubench {

/// A classifier whose network maps a batch of samples to logits: cross-entropy, Adam with learning rate 1e-3,
/// metrics "loss" and "accuracy".
std::shared_ptr<Model> make_classifier(torch::nn::Sequential network);

}  // namespace gpubench
