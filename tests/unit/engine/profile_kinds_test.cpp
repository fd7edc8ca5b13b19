#include "engine/profile/sums.h"

#include "support/catch.h"

using namespace gpubench;
using namespace gpubench::test;

TEST_CASE("operations and nodes of autograd have the kind of their layer, whoever made the kernel") {
  for (const char* name : {"aten::conv2d", "aten::mkldnn_convolution", "ConvolutionBackward0",
                           "aten::cudnn_convolution", "aten::_slow_conv2d_forward", "aten::thnn_conv2d",
                           "autograd::engine::evaluate_function: ConvolutionBackward0"}) {
    INFO(name);
    CHECK(layer_kind(name) == "convolution");
  }
  for (const char* name : {"aten::addmm", "aten::mm", "aten::bmm", "AddmmBackward0", "aten::linear",
                           "mkldnn::_linear_pointwise"}) {
    INFO(name);
    CHECK(layer_kind(name) == "matrix product");
  }
  for (const char* name : {"aten::lstm", "aten::_cudnn_rnn", "aten::mkldnn_rnn_layer", "CudnnRnnBackward0",
                           "aten::_thnn_fused_lstm_cell"}) {
    INFO(name);
    CHECK(layer_kind(name) == "recurrent");
  }
  CHECK(layer_kind("aten::_scaled_dot_product_flash_attention") == "attention");
  CHECK(layer_kind("NativeBatchNormBackward0") == "normalization");
  CHECK(layer_kind("aten::threshold_backward") == "activation");
  CHECK(layer_kind("MaxPool2DWithIndicesBackward0") == "pooling");
  CHECK(layer_kind("aten::native_dropout") == "dropout");
  CHECK(layer_kind("aten::_log_softmax_backward_data") == "loss");
  CHECK(layer_kind("aten::_softmax") == "activation");
  CHECK(layer_kind("aten::embedding_dense_backward") == "embedding");
  CHECK(layer_kind("aten::_to_copy") == "copy and layout");
  CHECK(layer_kind("aten::t") == "copy and layout");
}

TEST_CASE("a name that only begins like a known one has no kind") {
  for (const char* name :
       {"aten::topk", "aten::mmap", "aten::tile", "aten::dotted", "aten::add", "aten::", ""}) {
    INFO(name);
    CHECK(layer_kind(name).empty());
  }
}
