#include <algorithm>
#include <bit>
#include <tuple>

#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include "blocks.h"
#include "kernels.h"

namespace gpubench::lstm_plugin {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// The layer of Hochreiter and Schmidhuber ("Long Short-Term Memory", 1997) with a forget gate, as in
// torch.nn.LSTM. Each thread computes all positions of its sequences, in blocks whose values stay in its
// cache and without waiting for others.

constexpr std::int64_t kGates = 4;   // Input gate, forget gate, candidate, output gate.
constexpr std::int64_t kBlock = 64;  // Sequences per product.

/// Calls `work(begin, end)` for blocks of sequences, on several threads. Operations in it are not recorded.
template <class Work>
void for_each_block(std::int64_t sequences, const Work& work) {
  const std::int64_t blocks = (sequences + kBlock - 1) / kBlock;
  in_parallel(blocks, 1, [&](std::int64_t first, std::int64_t last) {
    const at::NoGradGuard no_grad;
    const at::RecordFunctionGuard not_recorded(/*is_enabled=*/false);
    for (std::int64_t i = first; i < last; ++i) work(i * kBlock, std::min(sequences, (i + 1) * kBlock));
  });
}

/// Largest exponent, so that exp() neither overflows nor underflows. Volatile: GCC turns comparisons with a
/// constant into branches, which it cannot vectorize.
const volatile float kLargestExponent = 87;

/// Returns 1 / (1 + exp(-x)) with an error of 2e-7, for `x` cut to [-limit, limit]. The polynomial for exp()
/// is that of Cephes (Moshier, "Methods and Programs for Mathematical Functions", 1989).
GPUBENCH_KERNEL inline float sigmoid(float x, float limit) {
  constexpr float kRounding = 12582912;  // 1.5 * 2^23: a sum with it has the integer in its last bits.
  x = x > limit ? limit : x;
  x = x < -limit ? -limit : x;
  const float shifted = x * -1.44269504F + kRounding;
  const float power = shifted - kRounding;
  const float rest = (-x - power * 0.693359375F) + power * 2.12194440e-4F;
  float sum = 1.9875691500e-4F;
  sum = sum * rest + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * rest * rest + rest + 1;
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127) << 23;
  return 1 / (1 + sum * std::bit_cast<float>(exponent));
}

GPUBENCH_KERNEL inline float hyperbolic_tangent(float x, float limit) {
  return 2 * sigmoid(2 * x, limit) - 1;
}

/// Computes the gates, cells and hidden states of a sequence at a position. `before`: the cells before.
GPUBENCH_KERNEL inline void compute_cells(std::int64_t hidden, const float* __restrict sums,
                                          const float* __restrict before, float* __restrict gates,
                                          float* __restrict cells, float* __restrict squashed,
                                          float* __restrict states) {
  const float limit = kLargestExponent;
  for (std::int64_t k = 0; k < hidden; ++k) {
    const float in = sigmoid(sums[k], limit), forget = sigmoid(sums[hidden + k], limit);
    const float candidate = hyperbolic_tangent(sums[2 * hidden + k], limit);
    const float out = sigmoid(sums[3 * hidden + k], limit);
    const float cell = in * candidate + forget * before[k];
    const float value = hyperbolic_tangent(cell, limit);
    gates[k] = in;
    gates[hidden + k] = forget;
    gates[2 * hidden + k] = candidate;
    gates[3 * hidden + k] = out;
    cells[k] = cell;
    squashed[k] = value;
    states[k] = out * value;
  }
}

/// Replaces the gates by the gradients of their sums, and the gradients of the cells by those of the cells
/// before.
GPUBENCH_KERNEL inline void backpropagate(std::int64_t hidden, const float* __restrict state_gradients,
                                          const float* __restrict before, const float* __restrict squashed,
                                          float* __restrict gates, float* __restrict cell_gradients) {
  for (std::int64_t k = 0; k < hidden; ++k) {
    const float in = gates[k], forget = gates[hidden + k];
    const float candidate = gates[2 * hidden + k], out = gates[3 * hidden + k];
    const float value = squashed[k], gradient = state_gradients[k];
    const float cell = cell_gradients[k] + gradient * out * (1 - value * value);
    gates[k] = cell * candidate * in * (1 - in);
    gates[hidden + k] = cell * before[k] * forget * (1 - forget);
    gates[2 * hidden + k] = cell * in * (1 - candidate * candidate);
    gates[3 * hidden + k] = gradient * value * out * (1 - out);
    cell_gradients[k] = cell * forget;
  }
}

/// Sequences [begin, end) at a position of `all` [position, sequence, value].
Tensor block(const Tensor& all, std::int64_t position, std::int64_t begin, std::int64_t end) {
  return all.select(0, position).slice(0, begin, end);
}

/// Returns values for the gradient, by position: [input, state before, 1, zeros], gates, cells before, and
/// their tanh. The first and the third have one more position. `weight` [gates x hidden, width of the first]
/// has the biases after the weights of inputs and states.
std::tuple<Tensor, Tensor, Tensor, Tensor> compute_lstm(const Tensor& sequences, const Tensor& weight) {
  const std::int64_t count = sequences.size(0), positions = sequences.size(1), inputs = sequences.size(2);
  const std::int64_t hidden = weight.size(0) / kGates;
  const auto options = sequences.options();
  Tensor steps = at::empty({positions + 1, count, weight.size(1)}, options);
  Tensor gates = at::empty({positions, count, weight.size(0)}, options);
  Tensor cells = at::empty({positions + 1, count, hidden}, options);
  Tensor squashed = at::empty({positions, count, hidden}, options);
  for_each_block(count, [&](std::int64_t begin, std::int64_t end) {
    block(steps, 0, begin, end).zero_();
    block(cells, 0, begin, end).zero_();
    Tensor sums = at::empty({end - begin, weight.size(0)}, options);
    for (std::int64_t t = 0; t < positions; ++t) {
      const Tensor step = block(steps, t, begin, end), next = block(steps, t + 1, begin, end);
      step.narrow(1, 0, inputs).copy_(sequences.select(1, t).slice(0, begin, end));
      step.narrow(1, inputs + hidden, 1).fill_(1);
      next.slice(1, inputs + hidden).zero_();
      at::mm_out(sums, step, weight.t());
      const float* const sum = sums.const_data_ptr<float>();
      const float* const before = block(cells, t, begin, end).const_data_ptr<float>();
      float* const gate = block(gates, t, begin, end).mutable_data_ptr<float>();
      float* const cell = block(cells, t + 1, begin, end).mutable_data_ptr<float>();
      float* const value = block(squashed, t, begin, end).mutable_data_ptr<float>();
      float* const state = next.mutable_data_ptr<float>() + inputs;
      vectorized([&]() GPUBENCH_KERNEL {
        for (std::int64_t row = 0; row < end - begin; ++row) {
          const std::int64_t i = row * hidden;
          compute_cells(hidden, sum + kGates * i, before + i, gate + kGates * i, cell + i, value + i,
                        state + row * weight.size(1));
        }
      });
    }
  });
  return {steps, gates, cells, squashed};
}

/// Returns the gradient of compute_lstm()'s weight from that of the last states. Overwrites the gates.
Tensor compute_lstm_backward(const Tensor& gradient, const Tensor& weight, std::int64_t inputs,
                             const Tensor& steps, const Tensor& gates, const Tensor& cells,
                             const Tensor& squashed) {
  const std::int64_t positions = gates.size(0), count = gates.size(1), hidden = cells.size(2);
  const Tensor recurrent = weight.narrow(1, inputs, hidden).contiguous();
  for_each_block(count, [&](std::int64_t begin, std::int64_t end) {
    Tensor state_gradient = gradient.slice(0, begin, end).clone();
    const Tensor cell_gradient = at::zeros_like(state_gradient);
    for (std::int64_t t = positions - 1; t >= 0; --t) {
      const Tensor gate_gradient = block(gates, t, begin, end);
      const float* const state = state_gradient.const_data_ptr<float>();
      const float* const before = block(cells, t, begin, end).const_data_ptr<float>();
      const float* const value = block(squashed, t, begin, end).const_data_ptr<float>();
      float* const gate = gate_gradient.mutable_data_ptr<float>();
      float* const cell = cell_gradient.mutable_data_ptr<float>();
      vectorized([&]() GPUBENCH_KERNEL {
        for (std::int64_t row = 0; row < end - begin; ++row) {
          const std::int64_t i = row * hidden;
          backpropagate(hidden, state + i, before + i, value + i, gate + kGates * i, cell + i);
        }
      });
      if (t > 0) at::mm_out(state_gradient, gate_gradient, recurrent);
    }
  });
  return transposed_product(gates.flatten(0, 1), steps.narrow(0, 0, positions).flatten(0, 1));
}

class Lstm : public torch::autograd::Function<Lstm> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& sequences, const Tensor& weight) {
    RECORD_FUNCTION("gpubench::lstm", std::vector<c10::IValue>{sequences});
    const auto [steps, gates, cells, squashed] = compute_lstm(sequences, weight);
    context->save_for_backward({weight, steps, gates, cells, squashed});
    const std::int64_t inputs = sequences.size(2), positions = sequences.size(1);
    context->saved_data["inputs"] = inputs;
    return steps.select(0, positions).narrow(1, inputs, cells.size(2)).clone();
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    RECORD_FUNCTION("gpubench::lstm_backward", std::vector<c10::IValue>{gradients.front()});
    const auto saved = context->get_saved_variables();
    const std::int64_t inputs = context->saved_data["inputs"].toInt();
    return {Tensor(), compute_lstm_backward(gradients.front().contiguous(), saved[0], inputs, saved[1],
                                            saved[2], saved[3], saved[4])};
  }
};

constexpr std::int64_t kRows = 28;
constexpr std::int64_t kHidden = 128;
constexpr std::int64_t kPadding = 160 - kRows - kHidden - 1;  // Aligns rows to cache lines.

/// oneDNN's layer is as fast for small batches, and computes other types.
bool is_for_blocks(const Tensor& sequences) {
  return sequences.is_cpu() && has_fast_mkl() && sequences.scalar_type() == at::kFloat &&
         !at::autocast::is_autocast_enabled(at::kCPU) && sequences.size(0) >= kBlock * at::get_num_threads();
}

/// Reads an image row by row and returns the hidden state after the last row.
class RowReaderImpl : public nn::Module {
 public:
  RowReaderImpl()
      : lstm_(register_module("lstm", nn::LSTM(nn::LSTMOptions(kRows, kHidden).batch_first(true)))) {}

  Tensor forward(const Tensor& images) {
    const Tensor sequences = images.view({-1, kRows, kRows});
    if (!is_for_blocks(sequences)) return std::get<0>(lstm_->forward(sequences)).select(1, kRows - 1);
    const auto parameters = lstm_->all_weights();
    const Tensor bias = (parameters[2] + parameters[3]).unsqueeze(1);
    const Tensor padding = at::zeros({kGates * kHidden, kPadding}, sequences.options());
    return Lstm::apply(sequences, at::cat({parameters[0], parameters[1], bias, padding}, 1));
  }

 private:
  nn::LSTM lstm_;
};
TORCH_MODULE(RowReader);

}  // namespace

std::shared_ptr<Model> build_lstm(const ModelSizes&) {
  return make_classifier(nn::Sequential(RowReader(), Dense(kHidden, 10)));
}

}  // namespace gpubench::lstm_plugin
