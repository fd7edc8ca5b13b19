#include "blocks.h"

namespace gpubench::lstm_plugin {
namespace {

constexpr std::int64_t kRows = 28;
constexpr std::int64_t kHidden = 128;

/// Reads an image row by row and returns the hidden state after the last row.
class RowReaderImpl : public nn::Module {
 public:
  RowReaderImpl()
      : lstm_(register_module("lstm", nn::LSTM(nn::LSTMOptions(kRows, kHidden).batch_first(true)))) {}

  at::Tensor forward(const at::Tensor& images) {
    const auto [outputs, state] = lstm_->forward(images.view({-1, kRows, kRows}));
    return outputs.select(1, kRows - 1);
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
