#include <algorithm>
#include <cstdint>
#include <tuple>

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "blocks.h"
#include "pooling.h"

namespace gpubench {

namespace {

/// Images with channels last, and their 2x2 windows.
struct Images {
  std::int64_t count, height, width, channels;

  explicit Images(const at::Tensor& tensor)
      : count(tensor.size(0)), height(tensor.size(2)), width(tensor.size(3)), channels(tensor.size(1)) {}

  std::int64_t values() const { return height * width * channels; }

  /// Distance of a window's pixel from its upper left one.
  GPUBENCH_KERNEL std::int64_t distance(int pixel) const {
    return (pixel / 2 * width + pixel % 2) * channels;
  }

  /// Calls `visit(window, pixel)` for each kLanes channels of the windows of an image: their position in
  /// pooled images, and that of their upper left pixel in images.
  template <class Visit>
  GPUBENCH_KERNEL void for_each_window(std::int64_t image, const Visit& visit) const {
    std::int64_t window = image * (height / 2) * (width / 2) * channels;
    for (std::int64_t row = 0; row < height / 2; ++row) {
      std::int64_t pixel = image * values() + 2 * row * width * channels;
      for (std::int64_t column = 0; column < width / 2; ++column) {
        for (std::int64_t c = 0; c < channels; c += kLanes) visit(window + c, pixel + c);
        window += channels;
        pixel += 2 * channels;
      }
    }
  }

  /// Calls `work` with the position of each image, by several threads.
  template <class Work>
  void for_each(const Work& work) const {
    const std::int64_t grain = at::divup(at::internal::GRAIN_SIZE, std::max<std::int64_t>(1, values()));
    in_parallel(count, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) work(i);
    });
  }
};

template <class Value>
void pool(const at::Tensor& input, const at::Tensor& maxima, const at::Tensor& places) {
  const Images images(input);
  const auto* const from = input.const_data_ptr<Value>();
  auto* const to = maxima.mutable_data_ptr<Value>();
  auto* const codes = places.mutable_data_ptr<std::uint8_t>();
  images.for_each([&](std::int64_t image) {
    vectorized([&]() GPUBENCH_KERNEL {
      images.for_each_window(image, [&](std::int64_t window, std::int64_t pixel) GPUBENCH_KERNEL {
        Lanes pixels[kPixels];
        for (int i = 0; i < kPixels; ++i) pixels[i] = load(from + pixel + images.distance(i));
        pool_pixels(pixels, to + window, codes + window);
      });
    });
  });
}

template <class Value>
void unpool(const at::Tensor& gradient, const at::Tensor& places, const at::Tensor& made) {
  const Images images(made);
  const auto* const from = gradient.const_data_ptr<Value>();
  const auto* const codes = places.const_data_ptr<std::uint8_t>();
  auto* const to = made.mutable_data_ptr<Value>();
  images.for_each([&](std::int64_t image) {
    vectorized([&]() GPUBENCH_KERNEL {
      images.for_each_window(image, [&](std::int64_t window, std::int64_t pixel) GPUBENCH_KERNEL {
        Lanes pixels[kPixels];
        unpool_pixels(from + window, codes + window, pixels);
        for (int i = 0; i < kPixels; ++i) store(to + pixel + images.distance(i), pixels[i]);
      });
    });
  });
  // No window has the last pixels of odd sizes.
  made.slice(2, images.height / 2 * 2).zero_();
  made.slice(3, images.width / 2 * 2).zero_();
}

/// Returns the maxima and their places, a byte per window where LibTorch's operation keeps eight and ReLU the
/// maxima.
std::tuple<at::Tensor, at::Tensor> compute_maxima(const at::Tensor& input) {
  const std::vector<std::int64_t> shape{input.size(0), input.size(1), input.size(2) / 2, input.size(3) / 2};
  at::Tensor maxima = at::empty(shape, input.options(), at::MemoryFormat::ChannelsLast);
  at::Tensor places = at::empty(shape, input.options().dtype(at::kByte), at::MemoryFormat::ChannelsLast);
  (input.scalar_type() == at::kFloat ? pool<float> : pool<c10::BFloat16>)(input, maxima, places);
  return {maxima, places};
}

at::Tensor compute_gradient(const at::Tensor& gradient, const at::Tensor& places, at::IntArrayRef shape) {
  at::Tensor made = at::empty(shape, gradient.options(), at::MemoryFormat::ChannelsLast);
  const at::Tensor pixels = gradient.contiguous(at::MemoryFormat::ChannelsLast);
  (gradient.scalar_type() == at::kFloat ? unpool<float> : unpool<c10::BFloat16>)(pixels, places, made);
  return made;
}

// Registered, so that profiles and counts of memory traffic see them.
TORCH_LIBRARY(gpubench, library) {
  library.def("max_pool2d(Tensor images) -> (Tensor, Tensor)", torch::dispatch(at::kCPU, compute_maxima));
  library.def("max_pool2d_backward(Tensor gradient, Tensor places, int[] shape) -> Tensor",
              torch::dispatch(at::kCPU, compute_gradient));
}

class Pool : public torch::autograd::Function<Pool> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input) {
    static const auto operation = find_operation<decltype(compute_maxima)>("gpubench::max_pool2d");
    const auto [maxima, places] = operation.call(input);
    context->save_for_backward({places});
    context->saved_data["shape"] = input.sizes().vec();
    return maxima;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    static const auto operation = find_operation<decltype(compute_gradient)>("gpubench::max_pool2d_backward");
    return {operation.call(gradients.front(), context->get_saved_variables().front(),
                           context->saved_data["shape"].toIntVector())};
  }
};

}  // namespace

at::Tensor pool_and_relu(const at::Tensor& images) {
  const bool is_for_kernel = images.is_cpu() && images.is_contiguous(at::MemoryFormat::ChannelsLast) &&
                             images.size(1) % kLanes == 0 &&
                             (images.scalar_type() == at::kFloat || images.scalar_type() == at::kBFloat16);
  // ReLU after the pooling has a quarter of the values, and the same result.
  return is_for_kernel ? Pool::apply(images) : at::max_pool2d(images, 2).relu_();
}

}  // namespace gpubench
