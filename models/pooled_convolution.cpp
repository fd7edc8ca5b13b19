#include <cstdint>
#include <tuple>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "blocks.h"
#include "pooling.h"

namespace gpubench {

using at::Tensor;

namespace pooled_convolution {
namespace {

// Computes the convolution of a window's four pixels right before their maximum, so that only pooled values
// are written. Few input channels make few products per written value: memory is what limits these layers.

constexpr std::int64_t kGroup = 2 * kLanes;  // Channels that are computed at the same time.
constexpr std::int64_t kMostTaps = 64;       // Weights per output. With more, oneDNN is faster.

/// Sizes of a convolution with stride 1 and of its 2x2 pooling.
struct Sizes {
  std::int64_t count, height, width, channels, kernel, border, outputs;

  Sizes(const Tensor& images, const Tensor& weight, std::int64_t padding)
      : count(images.size(0)),
        height(images.size(2)),
        width(images.size(3)),
        channels(images.size(1)),
        kernel(weight.size(2)),
        border(padding),
        outputs(weight.size(0)) {}

  std::int64_t rows() const { return (height + 2 * border - kernel + 1) / 2; }
  std::int64_t columns() const { return (width + 2 * border - kernel + 1) / 2; }
  std::int64_t taps() const { return kernel * kernel * channels; }
  std::int64_t padded_row() const { return (width + 2 * border) * channels; }
  std::int64_t padded_values() const { return (height + 2 * border) * padded_row(); }

  /// Distance of each weight's pixel value from that of the first weight.
  std::vector<std::int64_t> tap_offsets() const {
    std::vector<std::int64_t> offsets;
    for (std::int64_t tap = 0; tap < taps(); ++tap)
      offsets.push_back(tap / (kernel * channels) * padded_row() + tap % (kernel * channels));
    return offsets;
  }

  /// Calls `visit(window, pixels)` for the windows of an image: the position of the window in pooled images,
  /// and the values under the first weight of its pixels.
  template <class Visit>
  GPUBENCH_KERNEL void for_each_window(std::int64_t image, const float* padded, const Visit& visit) const {
    std::int64_t window = image * rows() * columns() * outputs;
    for (std::int64_t row = 0; row < rows(); ++row) {
      const float* upper = padded + 2 * row * padded_row();
      for (std::int64_t column = 0; column < columns(); ++column) {
        const float* const lower = upper + padded_row();
        const float* const pixels[kPixels] = {upper, upper + channels, lower, lower + channels};
        visit(window, pixels);
        window += outputs;
        upper += 2 * channels;
      }
    }
  }
};

/// Copies an image into the middle of `padded`, whose border is 0.
template <class Value>
void copy_image(const Sizes& sizes, const Value* image, float* padded) {
  const std::int64_t row = sizes.width * sizes.channels;
  for (std::int64_t y = 0; y < sizes.height; ++y) {
    float* const to = padded + (y + sizes.border) * sizes.padded_row() + sizes.border * sizes.channels;
    for (std::int64_t x = 0; x < row; ++x) to[x] = static_cast<float>(image[y * row + x]);
  }
}

/// Computes the maxima of kGroup outputs of a window. `pixels`: the values under the first weight of each
/// pixel. `weights` [tap][outputs].
template <class Value>
GPUBENCH_KERNEL inline void convolve(const std::vector<std::int64_t>& offsets, const float* const* pixels,
                                     const float* weights, std::int64_t outputs, const float* bias,
                                     Value* maxima, std::uint8_t* places) {
  Lanes low[kPixels], high[kPixels];
  for (int i = 0; i < kPixels; ++i) {
    low[i] = load(bias);
    high[i] = load(bias + kLanes);
  }
  for (const std::int64_t offset : offsets) {
    const Lanes first = load(weights), second = load(weights + kLanes);
    for (int i = 0; i < kPixels; ++i) {
      low[i] += first * pixels[i][offset];
      high[i] += second * pixels[i][offset];
    }
    weights += outputs;
  }
  pool_pixels(low, maxima, places);
  pool_pixels(high, maxima + kLanes, places + kLanes);
}

/// Adds products of kGroup gradients of a window and the values under each weight to `sums` [tap][kGroup],
/// and the gradients to its last row.
template <class Value>
GPUBENCH_KERNEL inline void add_products(const std::vector<std::int64_t>& offsets, const float* const* pixels,
                                         const Value* gradients, const std::uint8_t* places, float* sums) {
  Lanes first[kPixels], second[kPixels];
  unpool_pixels(gradients, places, first);
  unpool_pixels(gradients + kLanes, places + kLanes, second);
  for (const std::int64_t offset : offsets) {
    Lanes low = load(sums), high = load(sums + kLanes);
    for (int i = 0; i < kPixels; ++i) {
      low += first[i] * pixels[i][offset];
      high += second[i] * pixels[i][offset];
    }
    store(sums, low);
    store(sums + kLanes, high);
    sums += kGroup;
  }
  store(sums, load(sums) + first[0] + first[1] + first[2] + first[3]);
  store(sums + kLanes, load(sums + kLanes) + second[0] + second[1] + second[2] + second[3]);
}

/// Calls `work(part, image, padded)` for all images in as many parts as threads.
template <class Value, class Work>
void for_each_image(const Sizes& sizes, const Tensor& images, const Work& work) {
  const auto* const from = images.const_data_ptr<Value>();
  for_each_block(sizes.count, sizes.count, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
    std::vector<float> padded(static_cast<std::size_t>(sizes.padded_values()));
    for (std::int64_t image = first; image < last; ++image) {
      copy_image(sizes, from + image * sizes.height * sizes.width * sizes.channels, padded.data());
      work(part, image, padded.data());
    }
  });
}

template <class Value>
void compute_windows(const Sizes& sizes, const Tensor& images, const Tensor& weights, const Tensor& bias,
                     const Tensor& maxima, const Tensor& places) {
  const float* const weight = weights.const_data_ptr<float>();
  const float* const start = bias.const_data_ptr<float>();
  auto* const to = maxima.mutable_data_ptr<Value>();
  auto* const codes = places.mutable_data_ptr<std::uint8_t>();
  const std::vector<std::int64_t> offsets = sizes.tap_offsets();
  for_each_image<Value>(sizes, images, [&](std::int64_t, std::int64_t image, const float* padded) {
    vectorized([&]() GPUBENCH_KERNEL {
      sizes.for_each_window(image, padded,
                            [&](std::int64_t window, const float* const* pixels) GPUBENCH_KERNEL {
                              for (std::int64_t c = 0; c < sizes.outputs; c += kGroup)
                                convolve(offsets, pixels, weight + c, sizes.outputs, start + c,
                                         to + window + c, codes + window + c);
                            });
    });
  });
}

/// Adds the gradients of weights and, in the last row, of the bias to `sums` [part][group][tap][kGroup].
template <class Value>
void compute_products(const Sizes& sizes, const Tensor& images, const Tensor& gradient, const Tensor& places,
                      const Tensor& sums) {
  const auto* const from = gradient.const_data_ptr<Value>();
  const auto* const codes = places.const_data_ptr<std::uint8_t>();
  auto* const to = sums.mutable_data_ptr<float>();
  const std::vector<std::int64_t> offsets = sizes.tap_offsets();
  for_each_image<Value>(sizes, images, [&](std::int64_t part, std::int64_t image, const float* padded) {
    vectorized([&]() GPUBENCH_KERNEL {
      sizes.for_each_window(image, padded,
                            [&](std::int64_t window, const float* const* pixels) GPUBENCH_KERNEL {
                              for (std::int64_t c = 0; c < sizes.outputs; c += kGroup)
                                add_products(offsets, pixels, from + window + c, codes + window + c,
                                             to + part * sums.stride(0) + c / kGroup * sums.stride(1));
                            });
    });
  });
}

/// Returns the maxima and their places as gpubench::max_pool2d.
std::tuple<Tensor, Tensor> compute_maxima(const Tensor& images, const Tensor& weight, const Tensor& bias,
                                          std::int64_t padding) {
  const Sizes sizes(images, weight, padding);
  const std::vector<std::int64_t> shape{sizes.count, sizes.outputs, sizes.rows(), sizes.columns()};
  Tensor maxima = at::empty(shape, images.options(), at::MemoryFormat::ChannelsLast);
  Tensor places = at::empty(shape, images.options().dtype(at::kByte), at::MemoryFormat::ChannelsLast);
  const bool is_fp32 = images.scalar_type() == at::kFloat;
  const auto compute = is_fp32 ? compute_windows<float> : compute_windows<c10::BFloat16>;
  const Tensor weights = weight.permute({2, 3, 1, 0}).to(at::kFloat).contiguous();
  compute(sizes, images, weights, bias.to(at::kFloat), maxima, places);
  return {maxima, places};
}

/// Returns the gradients of weight and bias.
std::tuple<Tensor, Tensor> compute_gradients(const Tensor& gradient, const Tensor& images,
                                             const Tensor& weight, const Tensor& places,
                                             std::int64_t padding) {
  const Sizes sizes(images, weight, padding);
  const Tensor windows = gradient.contiguous(at::MemoryFormat::ChannelsLast);
  const Tensor parts = at::zeros({at::get_num_threads(), sizes.outputs / kGroup, sizes.taps() + 1, kGroup},
                                 images.options().dtype(at::kFloat));
  const bool is_fp32 = images.scalar_type() == at::kFloat;
  (is_fp32 ? compute_products<float> : compute_products<c10::BFloat16>)(sizes, images, windows, places,
                                                                        parts);
  const Tensor sum = parts.sum(0).transpose(1, 2).reshape({sizes.outputs, sizes.taps() + 1});
  const Tensor products = sum.narrow(1, 0, sizes.taps())
                              .view({sizes.outputs, sizes.kernel, sizes.kernel, sizes.channels})
                              .permute({0, 3, 1, 2});
  return {products.to(weight.scalar_type(), /*non_blocking=*/false, /*copy=*/true,
                      at::MemoryFormat::ChannelsLast),
          sum.select(1, sizes.taps()).to(weight.scalar_type(), /*non_blocking=*/false, /*copy=*/true)};
}

// Registered, so that profiles and counts of memory traffic see them.
TORCH_LIBRARY_FRAGMENT(gpubench, library) {
  library.def("conv2d_max_pool(Tensor images, Tensor weight, Tensor bias, int padding) -> (Tensor, Tensor)",
              torch::dispatch(at::kCPU, compute_maxima));
  library.def(
      "conv2d_max_pool_backward(Tensor gradient, Tensor images, Tensor weight, Tensor places, "
      "int padding) -> (Tensor, Tensor)",
      torch::dispatch(at::kCPU, compute_gradients));
}

class PooledConvolutionFunction : public torch::autograd::Function<PooledConvolutionFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& images, const Tensor& weight,
                        const Tensor& bias, std::int64_t padding) {
    static const auto operation = find_operation<decltype(compute_maxima)>("gpubench::conv2d_max_pool");
    const auto [maxima, places] = operation.call(images, weight, bias, padding);
    context->save_for_backward({images, weight, places});
    context->saved_data["padding"] = padding;
    return maxima;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    static const auto operation =
        find_operation<decltype(compute_gradients)>("gpubench::conv2d_max_pool_backward");
    const auto saved = context->get_saved_variables();
    const auto [weight, bias] = operation.call(gradients.front(), saved[0], saved[1], saved[2],
                                               context->saved_data["padding"].toInt());
    return {Tensor(), weight, bias, Tensor()};
  }
};

}  // namespace
}  // namespace pooled_convolution

Tensor PooledConvolutionImpl::forward(const Tensor& images) {
  using namespace pooled_convolution;
  const Tensor &weight = convolution_->weight, &bias = convolution_->bias;
  const bool is_for_kernel = images.is_cpu() && !images.requires_grad() && weight[0].numel() <= kMostTaps &&
                             weight.size(0) % kGroup == 0 &&
                             images.is_contiguous(at::MemoryFormat::ChannelsLast) &&
                             weight.suggest_memory_format() == at::MemoryFormat::ChannelsLast;
  if (is_for_kernel) {
    const Tensor inputs = to_operand(images);
    if (inputs.scalar_type() == at::kFloat || inputs.scalar_type() == at::kBFloat16)
      return PooledConvolutionFunction::apply(inputs, to_operand(weight), to_operand(bias), padding_);
  }
  return layers_->forward(images);
}

}  // namespace gpubench
