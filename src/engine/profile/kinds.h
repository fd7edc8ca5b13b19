#pragma once
// To which kind of layer an operation belongs, by its name.

#include <span>
#include <string>
#include <string_view>

namespace gpubench {

// Kinds that are given by the phase, or where nothing else is known.
inline constexpr std::string_view kInputKind = "input";
inline constexpr std::string_view kOptimizerKind = "optimizer";
inline constexpr std::string_view kOtherKind = "other";

/// All kinds in the order in which results list them.
std::span<const std::string_view> layer_kinds();

/// The kind of an operation or of a node of autograd: "aten::mkldnn_convolution" and "ConvolutionBackward0"
/// are "convolution". Empty where the name tells nothing.
std::string_view layer_kind(std::string_view operation);

/// Whether a layer of this kind is made of operations of other kinds, which then count as this one.
bool is_composite(std::string_view kind);

}  // namespace gpubench
