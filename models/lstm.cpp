#include <tuple>

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

constexpr std::int64_t kGates = 4;    // Input gate, forget gate, candidate, output gate.
constexpr std::int64_t kBlock = 128;  // Sequences per product.

/// Returns 1 / (1 + exp(-x)) with an error of 2e-7. The polynomial for exp() is that of Cephes (Moshier,
/// "Methods and Programs for Mathematical Functions", 1989).
GPUBENCH_KERNEL inline Lanes sigmoid(const Lanes& value) {
  constexpr float kLargest = 87;         // Largest exponent, so that exp() neither overflows nor underflows.
  constexpr float kRounding = 12582912;  // 1.5 * 2^23: a sum with it has the integer in its last bits.
  Lanes x = value > kLargest ? Lanes{} + kLargest : value;
  x = x < -kLargest ? Lanes{} - kLargest : x;
  const Lanes shifted = x * -1.44269504F + kRounding;
  const Lanes power = shifted - kRounding;
  const Lanes rest = (-x - power * 0.693359375F) + power * 2.12194440e-4F;
  Lanes sum = rest * 1.9875691500e-4F + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * rest * rest + rest + 1;
  return 1 / (1 + sum * bits_as<Lanes>((bits_as<LaneBits>(shifted) + 127) << 23));
}

GPUBENCH_KERNEL inline Lanes hyperbolic_tangent(const Lanes& x) { return 2 * sigmoid(2 * x) - 1; }

/// Computes the gates, cells and hidden states of a sequence at a position. `before`: the cells before.
template <class Value>
GPUBENCH_KERNEL inline void compute_cells(std::int64_t hidden, const Value* sums, const float* before,
                                          Value* gates, float* cells, Value* squashed, Value* states) {
  for (std::int64_t k = 0; k < hidden; k += kLanes) {
    const Lanes in = sigmoid(load(sums + k)), forget = sigmoid(load(sums + hidden + k));
    const Lanes candidate = hyperbolic_tangent(load(sums + 2 * hidden + k));
    const Lanes out = sigmoid(load(sums + 3 * hidden + k));
    const Lanes cell = in * candidate + forget * load(before + k);
    const Lanes value = hyperbolic_tangent(cell);
    store(gates + k, in);
    store(gates + hidden + k, forget);
    store(gates + 2 * hidden + k, candidate);
    store(gates + 3 * hidden + k, out);
    store(cells + k, cell);
    store(squashed + k, value);
    store(states + k, out * value);
  }
}

/// Replaces the gates by the gradients of their sums, and the gradients of the cells by those of the cells
/// before.
template <class Value>
GPUBENCH_KERNEL inline void backpropagate(std::int64_t hidden, const Value* state_gradients,
                                          const float* before, const Value* squashed, Value* gates,
                                          float* cell_gradients) {
  for (std::int64_t k = 0; k < hidden; k += kLanes) {
    const Lanes in = load(gates + k), forget = load(gates + hidden + k);
    const Lanes candidate = load(gates + 2 * hidden + k), out = load(gates + 3 * hidden + k);
    const Lanes value = load(squashed + k), gradient = load(state_gradients + k);
    const Lanes cell = load(cell_gradients + k) + gradient * out * (1 - value * value);
    store(gates + k, cell * candidate * in * (1 - in));
    store(gates + hidden + k, cell * load(before + k) * forget * (1 - forget));
    store(gates + 2 * hidden + k, cell * in * (1 - candidate * candidate));
    store(gates + 3 * hidden + k, gradient * value * out * (1 - out));
    store(cell_gradients + k, cell * forget);
  }
}

/// Sequences [begin, end) at a position of `all` [position, sequence, value].
Tensor block(const Tensor& all, std::int64_t position, std::int64_t begin, std::int64_t end) {
  return all.select(0, position).slice(0, begin, end);
}

/// Returns values for the gradient, by position: [input, state before, 1, zeros], gates, cells before, and
/// their tanh. The first and the third have one more position. `weight` [gates x hidden, width of the first]
/// has the biases after the weights of inputs and states. Cells are in fp32, others in the type of
/// `sequences`.
template <class Value>
std::tuple<Tensor, Tensor, Tensor, Tensor> compute_lstm(const Tensor& sequences, const Tensor& weight) {
  const std::int64_t count = sequences.size(0), positions = sequences.size(1), inputs = sequences.size(2);
  const std::int64_t hidden = weight.size(0) / kGates;
  const auto options = sequences.options();
  Tensor steps = at::empty({positions + 1, count, weight.size(1)}, options);
  Tensor gates = at::empty({positions, count, weight.size(0)}, options);
  Tensor cells = at::empty({positions + 1, count, hidden}, options.dtype(at::kFloat));
  Tensor squashed = at::empty({positions, count, hidden}, options);
  for_each_block(count, kBlock, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    const Tensor own = steps.slice(1, begin, end);
    own.narrow(0, 0, positions).narrow(2, 0, inputs).copy_(sequences.slice(0, begin, end).transpose(0, 1));
    own.select(0, 0).narrow(1, inputs, hidden).zero_();
    own.narrow(2, inputs + hidden, 1).fill_(1);
    own.slice(2, inputs + hidden + 1).zero_();
    block(cells, 0, begin, end).zero_();
    Tensor sums = at::empty({end - begin, weight.size(0)}, options);
    for (std::int64_t t = 0; t < positions; ++t) {
      at::mm_out(sums, own.select(0, t), weight.t());
      const Value* const sum = sums.const_data_ptr<Value>();
      const float* const before = block(cells, t, begin, end).const_data_ptr<float>();
      Value* const gate = block(gates, t, begin, end).mutable_data_ptr<Value>();
      float* const cell = block(cells, t + 1, begin, end).mutable_data_ptr<float>();
      Value* const value = block(squashed, t, begin, end).mutable_data_ptr<Value>();
      Value* const state = own.select(0, t + 1).mutable_data_ptr<Value>() + inputs;
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
template <class Value>
Tensor compute_lstm_backward(const Tensor& gradient, const Tensor& weight, std::int64_t inputs,
                             const Tensor& steps, const Tensor& gates, const Tensor& cells,
                             const Tensor& squashed) {
  const std::int64_t positions = gates.size(0), count = gates.size(1), hidden = cells.size(2);
  const Tensor recurrent = weight.narrow(1, inputs, hidden).contiguous();
  for_each_block(count, kBlock, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    Tensor state_gradient = gradient.slice(0, begin, end).clone();
    const Tensor cell_gradient = at::zeros_like(state_gradient, at::kFloat);
    for (std::int64_t t = positions - 1; t >= 0; --t) {
      const Tensor gate_gradient = block(gates, t, begin, end);
      const Value* const state = state_gradient.const_data_ptr<Value>();
      const float* const before = block(cells, t, begin, end).const_data_ptr<float>();
      const Value* const value = block(squashed, t, begin, end).const_data_ptr<Value>();
      Value* const gate = gate_gradient.mutable_data_ptr<Value>();
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
    const bool is_fp32 = sequences.scalar_type() == at::kFloat;
    const auto [steps, gates, cells, squashed] =
        (is_fp32 ? compute_lstm<float> : compute_lstm<c10::BFloat16>)(sequences, weight);
    context->save_for_backward({weight, steps, gates, cells, squashed});
    const std::int64_t inputs = sequences.size(2), positions = sequences.size(1);
    context->saved_data["inputs"] = inputs;
    return steps.select(0, positions).narrow(1, inputs, cells.size(2)).clone();
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    RECORD_FUNCTION("gpubench::lstm_backward", std::vector<c10::IValue>{gradients.front()});
    const auto saved = context->get_saved_variables();
    const std::int64_t inputs = context->saved_data["inputs"].toInt();
    const bool is_fp32 = saved[0].scalar_type() == at::kFloat;
    const auto compute = is_fp32 ? compute_lstm_backward<float> : compute_lstm_backward<c10::BFloat16>;
    return {Tensor(), compute(gradients.front().contiguous(), saved[0], inputs, saved[1], saved[2], saved[3],
                              saved[4])};
  }
};

constexpr std::int64_t kRows = 28;
constexpr std::int64_t kHidden = 128;
constexpr std::int64_t kPadding = 160 - kRows - kHidden - 1;  // Aligns rows to cache lines.

/// oneDNN's layer is faster for smaller batches and without gradients, and computes other types. It makes
/// threads wait for each other at every position, which takes longer the busier the machine is.
bool is_for_blocks(const Tensor& sequences) {
  const bool is_fp32 = sequences.scalar_type() == at::kFloat;
  const bool is_bf16 = sequences.scalar_type() == at::kBFloat16;
  const bool is_fast = is_fp32 ? has_fast_mkl() : is_bf16 && has_fast_bf16();
  const std::int64_t fewest = is_fp32 ? 16 : 64;  // Sequences of a thread.
  return at::GradMode::is_enabled() && sequences.is_cpu() && is_fast &&
         sequences.size(0) >= fewest * at::get_num_threads();
}

/// Reads an image row by row and returns the hidden state after the last row.
class RowReaderImpl : public nn::Module {
 public:
  RowReaderImpl()
      : lstm_(register_module("lstm", nn::LSTM(nn::LSTMOptions(kRows, kHidden).batch_first(true)))) {}

  Tensor forward(const Tensor& images) {
    const Tensor sequences = to_operand(images.view({-1, kRows, kRows}));
    if (!is_for_blocks(sequences)) return std::get<0>(lstm_->forward(sequences)).select(1, kRows - 1);
    const auto parameters = lstm_->all_weights();
    const Tensor bias = (parameters[2] + parameters[3]).unsqueeze(1);
    const Tensor padding = at::zeros({kGates * kHidden, kPadding}, bias.options());
    return Lstm::apply(sequences, to_operand(at::cat({parameters[0], parameters[1], bias, padding}, 1)));
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
