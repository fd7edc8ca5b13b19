#include "winograd.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "kernels.h"
#include "products.h"

namespace gpubench {

using at::Tensor;

namespace winograd {
namespace {

// Images are cut into tiles of 4x4 pixels that overlap by 2, which yield 2x2 results. The results of a tile d
// and the weight w are A [(G w G') * (B d B')] A'. The sums over channels are one matrix product per place of
// a transformed tile. Gradients are computed by the transposed steps. Transformed tiles of some images at a
// time stay in the cache.

template <int rows, int columns>
struct Matrix {
  static constexpr int kRows = rows, kColumns = columns;
  float values[rows][columns];
};

template <int rows, int columns>
constexpr Matrix<columns, rows> transpose(const Matrix<rows, columns>& matrix) {
  Matrix<columns, rows> made{};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) made.values[j][i] = matrix.values[i][j];
  }
  return made;
}

constexpr int kStep = 2;    // Distance of tiles, and side of their results.
constexpr int kSide = 4;    // Side of a tile.
constexpr int kWeight = 3;  // Side of a weight.
constexpr int kPlaces = kSide * kSide;
constexpr int kSumOfResults = 5;  // Place of their sum in transformed gradients.

constexpr Matrix<kStep, kSide> kA = {{{1, 1, 1, 0}, {0, 1, -1, -1}}};
constexpr Matrix<kSide, kSide> kB = {{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}};
constexpr Matrix<kSide, kWeight> kG = {{{1, 0, 0}, {0.5F, 0.5F, 0.5F}, {0.5F, -0.5F, 0.5F}, {0, 0, 1}}};
constexpr auto kTransposedA = transpose(kA);
constexpr auto kTransposedB = transpose(kB);
constexpr auto kTransposedG = transpose(kG);

constexpr std::int64_t kBlock = 128;      // Tiles per product.
constexpr std::int64_t kWide = 128 * 64;  // Input times output channels for which the forward pass is faster.

/// Sizes of a layer. Tiles at the end may have pixels and results outside the images.
struct Layer {
  std::int64_t count, channels, outputs, height, width, padding;

  Layer(const Tensor& input, std::int64_t output_channels, std::int64_t border)
      : count(input.size(0)),
        channels(input.size(1)),
        outputs(output_channels),
        height(input.size(2)),
        width(input.size(3)),
        padding(border) {}

  std::int64_t made_height() const { return height + 2 * padding - 2; }
  std::int64_t made_width() const { return width + 2 * padding - 2; }
  std::int64_t columns() const { return (made_width() + 1) / kStep; }
  std::int64_t tiles() const { return (made_height() + 1) / kStep * columns(); }
};

/// Images with channels last.
struct Images {
  float* values;
  std::int64_t height, width, channels;
  std::int64_t border;  // Before the first row and column of tiles.
  Tensor none;          // Used for pixels outside of the images.

  Images(const Tensor& images, std::int64_t padding, Tensor outside)
      : values(images.mutable_data_ptr<float>()),
        height(images.size(2)),
        width(images.size(3)),
        channels(images.size(1)),
        border(padding),
        none(std::move(outside)) {}

  /// Sets `pixels` to the channels of a square of pixels of an image.
  template <int count>
  GPUBENCH_KERNEL void find(std::int64_t image, std::int64_t top, std::int64_t left,
                            float* (&pixels)[count]) const {
    constexpr int kWidth = count == kPlaces ? kSide : kStep;
    float* const outside = none.mutable_data_ptr<float>();
    for (int i = 0; i < count; ++i) {
      const std::int64_t y = top + i / kWidth - border, x = left + i % kWidth - border;
      const bool is_inside = y >= 0 && y < height && x >= 0 && x < width;
      pixels[i] = is_inside ? values + ((image * height + y) * width + x) * channels : outside;
    }
  }
};

/// Computes a row of the product of the matrix and a column of values.
template <int rows, int columns>
GPUBENCH_KERNEL inline Lanes multiply(const Matrix<rows, columns>& matrix, int row, const Lanes* values,
                                      int distance) {
  Lanes sum = {};
  bool is_first = true;
#pragma GCC unroll 4
  for (int i = 0; i < columns; ++i) {
    const float factor = matrix.values[row][i];
    if (factor == 0) continue;
    const Lanes product = factor * values[i * distance];
    sum = is_first ? product : sum + product;
    is_first = false;
  }
  return sum;
}

/// Computes M x M' for squares `x` of channels, and calls `write(i, channel, values)` for its places.
template <const auto& matrix, class Write>
GPUBENCH_KERNEL inline void transform(std::int64_t channels, const float* const* square, const Write& write) {
  constexpr int kRows = matrix.kRows, kColumns = matrix.kColumns;
  for (std::int64_t c = 0; c < channels; c += kLanes) {
    Lanes values[kColumns * kColumns], products[kRows * kColumns];
#pragma GCC unroll 16
    for (int i = 0; i < kColumns * kColumns; ++i) values[i] = load(square[i] + c);
#pragma GCC unroll 16
    for (int i = 0; i < kRows * kColumns; ++i)
      products[i] = multiply(matrix, i / kColumns, values + i % kColumns, kColumns);
#pragma GCC unroll 16
    for (int i = 0; i < kRows * kRows; ++i)
      write(i, c, multiply(matrix, i % kRows, products + i / kRows * kColumns, 1));
  }
}

template <int count>
GPUBENCH_KERNEL inline void find_places(float* first, std::int64_t distance, float* (&places)[count]) {
  for (int i = 0; i < count; ++i) places[i] = first + i * distance;
}

/// Images [first, last) of a layer.
struct Block {
  const Layer& layer;
  std::int64_t first, last;

  /// Calls `visit(pixels, places)` with the pixels of each tile and its places in `tiles`
  /// [place, tile, channel].
  template <int count, class Visit>
  void for_each(const Images& images, const Tensor& tiles, const Visit& visit) const {
    float* const values = tiles.mutable_data_ptr<float>();
    const std::int64_t distance = tiles.stride(0);
    vectorized([&]() GPUBENCH_KERNEL {
      std::int64_t tile = 0;
      for (std::int64_t image = first; image < last; ++image) {
        for (std::int64_t top = 0; top < layer.made_height(); top += kStep) {
          for (std::int64_t left = 0; left < layer.made_width(); left += kStep, ++tile) {
            float *pixels[count], *places[kPlaces];
            images.find(image, top, left, pixels);
            find_places(values + tile * images.channels, distance, places);
            visit(pixels, places);
          }
        }
      }
    });
  }

  /// Returns the transformed tiles [place, tile, channel].
  template <const auto& matrix>
  Tensor transform_images(const Images& images, const at::TensorOptions& options) const {
    Tensor made = at::empty({kPlaces, (last - first) * layer.tiles(), images.channels}, options);
    for_each<matrix.kColumns * matrix.kColumns>(
        images, made, [&](float* const* pixels, float* const* places) GPUBENCH_KERNEL {
          transform<matrix>(images.channels, pixels,
                            [&](int i, std::int64_t c, const Lanes& value)
                                GPUBENCH_KERNEL { store(places[i] + c, value); });
        });
    return made;
  }
};

/// Calls `work(part, block)` for all images.
template <class Work>
void for_each_block(const Layer& layer, const Work& work) {
  gpubench::for_each_block(layer.count, std::max<std::int64_t>(1, kBlock / layer.tiles()),
                           [&](std::int64_t part, std::int64_t first, std::int64_t last) {
                             work(part, Block{layer, first, last});
                           });
}

/// Transforms all outputs of a weight with channels last [output, place, channel] to `to`
/// [place, output, channel], or back.
template <const auto& matrix>
void transform_weight(const Tensor& from, std::int64_t from_place, std::int64_t from_output, const Tensor& to,
                      std::int64_t to_place, std::int64_t to_output, std::int64_t outputs,
                      std::int64_t channels) {
  float* const values = from.mutable_data_ptr<float>();
  float* const made = to.mutable_data_ptr<float>();
  in_parallel(outputs, 1, [&](std::int64_t first, std::int64_t last) {
    vectorized([&]() GPUBENCH_KERNEL {
      for (std::int64_t output = first; output < last; ++output) {
        float *square[matrix.kColumns * matrix.kColumns], *places[matrix.kRows * matrix.kRows];
        find_places(values + output * from_output, from_place, square);
        find_places(made + output * to_output, to_place, places);
        transform<matrix>(channels, square, [&](int i, std::int64_t c, const Lanes& value) GPUBENCH_KERNEL {
          store(places[i] + c, value);
        });
      }
    });
  });
}

/// Returns the transformed weight [place, output, channel].
Tensor transform_weight(const Tensor& weight) {
  const std::int64_t outputs = weight.size(0), channels = weight.size(1);
  const Tensor made = at::empty({kPlaces, outputs, channels}, weight.options());
  transform_weight<kG>(weight.contiguous(at::MemoryFormat::ChannelsLast), channels,
                       kWeight * kWeight * channels, made, outputs * channels, channels, outputs, channels);
  return made;
}

/// Returns the gradient of the weight from that of the transformed weight.
Tensor compute_weight_gradient(const Tensor& transformed) {
  const std::int64_t outputs = transformed.size(1), channels = transformed.size(2);
  Tensor made =
      at::empty({outputs, channels, kWeight, kWeight}, transformed.options(), at::MemoryFormat::ChannelsLast);
  transform_weight<kTransposedG>(transformed, outputs * channels, channels, made, channels,
                                 kWeight * kWeight * channels, outputs, channels);
  return made;
}

Tensor convolve(const Tensor& input, const Tensor& weight, const Tensor& bias, std::int64_t padding) {
  const Layer layer(input, weight.size(0), padding);
  Tensor made = at::empty({layer.count, layer.outputs, layer.made_height(), layer.made_width()},
                          input.options(), at::MemoryFormat::ChannelsLast);
  const Tensor factors = transform_weight(weight).transpose(1, 2);
  const Images images(input, padding, at::zeros(layer.channels, input.options()));
  const float* const start = bias.const_data_ptr<float>();
  for_each_block(layer, [&](std::int64_t, const Block& block) {
    const Tensor products = at::bmm(block.transform_images<kB>(images, input.options()), factors);
    const Images results(made, 0, at::empty(layer.outputs, input.options()));
    block.for_each<kStep * kStep>(
        results, products, [&](float* const* pixels, float* const* places) GPUBENCH_KERNEL {
          transform<kA>(layer.outputs, places,
                        [&](int i, std::int64_t c, const Lanes& value)
                            GPUBENCH_KERNEL { store(pixels[i] + c, value + load(start + c)); });
        });
  });
  return made;
}

/// Returns the gradients of input, weight and bias.
std::tuple<Tensor, Tensor, Tensor> compute_gradients(const Tensor& gradient, const Tensor& input,
                                                     const Tensor& weight, std::int64_t padding) {
  const Layer layer(input, weight.size(0), padding);
  const auto options = input.options();
  const Tensor made = at::empty(input.sizes(), options, at::MemoryFormat::ChannelsLast);
  const Tensor factors = transform_weight(weight);
  const Tensor zeros = at::zeros(std::max(layer.channels, layer.outputs), options);
  const Tensor output_gradient = gradient.contiguous(at::MemoryFormat::ChannelsLast);
  const Images images(input, padding, zeros), results(output_gradient, 0, zeros);
  const Tensor sums = at::zeros({at::get_num_threads(), kPlaces, layer.outputs, layer.channels}, options);
  const Tensor biases = at::zeros({sums.size(0), layer.outputs}, options);
  for_each_block(layer, [&](std::int64_t part, const Block& block) {
    Tensor tiles = block.transform_images<kB>(images, options);
    const Tensor products = block.transform_images<kTransposedA>(results, options);
    sums.select(0, part).baddbmm_(products.transpose(1, 2), tiles);
    biases.select(0, part).add_(products.select(0, kSumOfResults).sum(0));
    at::bmm_out(tiles, products, factors);
    made.slice(0, block.first, block.last).zero_();
    const Images gradients(made, padding, at::empty(layer.channels, options));
    block.for_each<kPlaces>(
        gradients, tiles, [&](float* const* pixels, float* const* places) GPUBENCH_KERNEL {
          transform<kTransposedB>(layer.channels, places,
                                  [&](int i, std::int64_t c, const Lanes& value)
                                      GPUBENCH_KERNEL { store(pixels[i] + c, load(pixels[i] + c) + value); });
        });
  });
  return {made, compute_weight_gradient(sums.sum(0)), biases.sum(0)};
}

// Registered, so that profiles and counts of memory traffic see them.
TORCH_LIBRARY_FRAGMENT(gpubench, library) {
  library.def("conv2d_winograd(Tensor input, Tensor weight, Tensor bias, int padding) -> Tensor",
              torch::dispatch(at::kCPU, convolve));
  library.def(
      "conv2d_winograd_backward(Tensor gradient, Tensor input, Tensor weight, int padding) -> "
      "(Tensor, Tensor, Tensor)",
      torch::dispatch(at::kCPU, compute_gradients));
}

class Winograd : public torch::autograd::Function<Winograd> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, std::int64_t padding) {
    static const auto operation = find_operation<decltype(convolve)>("gpubench::conv2d_winograd");
    context->save_for_backward({input, weight});
    context->saved_data["padding"] = padding;
    const bool is_wide = input.size(1) * weight.size(0) >= kWide;
    return is_wide ? operation.call(input, weight, bias, padding)
                   : at::conv2d(input, weight, bias, 1, padding);
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    static const auto operation =
        find_operation<decltype(compute_gradients)>("gpubench::conv2d_winograd_backward");
    const auto saved = context->get_saved_variables();
    const auto [input, weight, bias] =
        operation.call(gradients.front(), saved[0], saved[1], context->saved_data["padding"].toInt());
    return {input, weight, bias, Tensor()};
  }
};

}  // namespace
}  // namespace winograd

bool is_for_winograd(const Tensor& input, const Tensor& weight, std::int64_t padding) {
  constexpr std::int64_t kFewestChannels = 32, kFewestOutputs = 64, kTilesPerChannel = 8;
  const std::int64_t channels = weight.size(1), outputs = weight.size(0);
  return input.is_cpu() && has_fast_mkl() && input.scalar_type() == at::kFloat &&
         weight.scalar_type() == at::kFloat && !at::autocast::is_autocast_enabled(at::kCPU) &&
         channels >= kFewestChannels && outputs >= kFewestOutputs && channels % kLanes == 0 &&
         outputs % kLanes == 0 && input.is_contiguous(at::MemoryFormat::ChannelsLast) &&
         weight.suggest_memory_format() == at::MemoryFormat::ChannelsLast &&
         winograd::Layer(input, outputs, padding).tiles() * input.size(0) >=
             kTilesPerChannel * std::max(channels, outputs);
}

Tensor winograd_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                            std::int64_t padding) {
  return winograd::Winograd::apply(input, weight, bias, padding);
}

}  // namespace gpubench
