#pragma once
// Brings a model to its device, type and memory layout.

#include "engine/training/input/batch_source.h"
#include "gpubench/model.h"

namespace gpubench {

/// Moves the model. Floating-point parameters become `format.type`, but for those of normalisations, whose
/// running statistics need fp32; weights of convolutions get the strides that the format says. Call it before
/// the optimiser is made.
void to_device(Model& model, c10::Device device, const InputFormat& format);

/// Whether the layout of images makes a difference to the model: it has weights of convolutions.
bool has_convolutions(const Model& model);

}  // namespace gpubench
