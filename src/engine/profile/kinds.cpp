#include "engine/profile/kinds.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>

namespace gpubench {
namespace {

constexpr std::string_view kRecurrent = "recurrent";
constexpr std::string_view kAttention = "attention";

constexpr std::string_view kKinds[] = {
    "convolution", "matrix product", kRecurrent,  kAttention, "normalization", "activation",      "pooling",
    "dropout",     "loss",           "embedding", kInputKind, kOptimizerKind,  "copy and layout", kOtherKind};

struct Rule {
  std::string_view prefix;  ///< Whole words: "mm" is the start of "mm_backward0", but not of "mmap".
  std::string_view kind;
};

// The longest prefix that fits decides.
constexpr Rule kRules[] = {
    {"conv", "convolution"},
    {"convolution", "convolution"},
    {"depthwise_conv", "convolution"},
    {"slow_conv", "convolution"},
    {"mm", "matrix product"},
    {"addmm", "matrix product"},
    {"bmm", "matrix product"},
    {"baddbmm", "matrix product"},
    {"addbmm", "matrix product"},
    {"matmul", "matrix product"},
    {"linear", "matrix product"},
    {"mv", "matrix product"},
    {"addmv", "matrix product"},
    {"dot", "matrix product"},
    {"einsum", "matrix product"},
    {"lstm", kRecurrent},
    {"gru", kRecurrent},
    {"rnn", kRecurrent},
    {"scaled_dot_product", kAttention},
    {"sdp", kAttention},
    {"flash_attention", kAttention},
    {"efficient_attention", kAttention},
    {"multi_head_attention", kAttention},
    {"batch_norm", "normalization"},
    {"layer_norm", "normalization"},
    {"group_norm", "normalization"},
    {"instance_norm", "normalization"},
    {"rms_norm", "normalization"},
    {"local_response_norm", "normalization"},
    {"relu", "activation"},
    {"threshold", "activation"},
    {"clamp_min", "activation"},
    {"leaky_relu", "activation"},
    {"hardtanh", "activation"},
    {"hardswish", "activation"},
    {"gelu", "activation"},
    {"silu", "activation"},
    {"elu", "activation"},
    {"sigmoid", "activation"},
    {"tanh", "activation"},
    {"softplus", "activation"},
    {"log_sigmoid", "activation"},
    {"softmax", "activation"},
    {"max_pool", "pooling"},
    {"avg_pool", "pooling"},
    {"adaptive_max_pool", "pooling"},
    {"adaptive_avg_pool", "pooling"},
    {"dropout", "dropout"},
    {"feature_dropout", "dropout"},
    {"random", "dropout"},
    {"cross_entropy", "loss"},
    {"log_softmax", "loss"},
    {"nll_loss", "loss"},
    {"mse_loss", "loss"},
    {"l1_loss", "loss"},
    {"smooth_l1_loss", "loss"},
    {"huber_loss", "loss"},
    {"binary_cross_entropy", "loss"},
    {"kl_div", "loss"},
    {"embedding", "embedding"},
    {"copy", "copy and layout"},
    {"to", "copy and layout"},
    {"clone", "copy and layout"},
    {"contiguous", "copy and layout"},
    {"reorder", "copy and layout"},
    {"view", "copy and layout"},
    {"unsafe_view", "copy and layout"},
    {"reshape", "copy and layout"},
    {"reshape_alias", "copy and layout"},
    {"flatten", "copy and layout"},
    {"as_strided", "copy and layout"},
    {"expand", "copy and layout"},
    {"permute", "copy and layout"},
    {"transpose", "copy and layout"},
    {"t", "copy and layout"},
    {"slice", "copy and layout"},
    {"select", "copy and layout"},
    {"narrow", "copy and layout"},
    {"squeeze", "copy and layout"},
    {"unsqueeze", "copy and layout"},
    {"split", "copy and layout"},
    {"chunk", "copy and layout"},
    {"unbind", "copy and layout"},
    {"cat", "copy and layout"},
    {"stack", "copy and layout"},
    {"constant_pad", "copy and layout"},
    {"index_select", "copy and layout"},
    {"memcpy", "copy and layout"},
};

// Who made the kernel, which says nothing about what it computes.
constexpr std::string_view kMakers[] = {"cudnn", "fused", "miopen", "mkldnn", "mps", "native", "thnn"};

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

/// "autograd::engine::evaluate_function: NativeBatchNormBackward0" to "native_batch_norm_backward0".
std::string words_of(std::string_view name) {
  for (const std::string_view separator : {": ", "::"}) {
    const std::size_t last = name.rfind(separator);
    if (last != std::string_view::npos) name.remove_prefix(last + separator.size());
  }
  std::string words;
  for (const char c : name) {
    if (is_upper(c) && !words.empty() && is_lower(words.back())) words += '_';
    words += lower(c);
  }
  return words;
}

bool starts_with_word(std::string_view words, std::string_view prefix) {
  return words.starts_with(prefix) && (words.size() == prefix.size() || !is_lower(words[prefix.size()]));
}

std::string_view without_makers(std::string_view words) {
  const auto strip = [&words] {
    words.remove_prefix(std::min(words.find_first_not_of('_'), words.size()));
    const auto maker = std::find_if(std::begin(kMakers), std::end(kMakers),
                                    [&](std::string_view known) { return starts_with_word(words, known); });
    if (maker == std::end(kMakers)) return false;
    words.remove_prefix(maker->size());
    return true;
  };
  while (strip()) continue;
  return words;
}

}  // namespace

std::span<const std::string_view> layer_kinds() { return kKinds; }

std::string_view layer_kind(std::string_view operation) {
  const std::string all_words = words_of(operation);
  const std::string_view words = without_makers(all_words);
  Rule best{};
  for (const Rule& rule : kRules) {
    if (rule.prefix.size() > best.prefix.size() && starts_with_word(words, rule.prefix)) best = rule;
  }
  return best.kind;
}

bool is_composite(std::string_view kind) { return kind == kRecurrent || kind == kAttention; }

}  // namespace gpubench
