#include "engine/profile/kinds.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

namespace gpubench {
namespace {

constexpr std::string_view kRecurrent = "recurrent";
constexpr std::string_view kAttention = "attention";

constexpr std::string_view kKinds[] = {
    "convolution", "matrix product", kRecurrent,  kAttention, "normalization", "activation",      "pooling",
    "dropout",     "loss",           "embedding", kInputKind, kOptimizerKind,  "copy and layout", kOtherKind};

/// What the names of operations of each kind begin with. Whole words: "mm" is the start of "mm_backward0",
/// but not of "mmap".
struct Rule {
  std::string_view kind;
  std::vector<std::string_view> prefixes;
};

const Rule kRules[] = {
    {"convolution", {"conv", "convolution", "depthwise_conv", "slow_conv"}},
    {"matrix product",
     {"mm", "addmm", "bmm", "baddbmm", "addbmm", "matmul", "linear", "mv", "addmv", "dot", "einsum"}},
    {kRecurrent, {"lstm", "gru", "rnn"}},
    {kAttention,
     {"scaled_dot_product", "sdp", "flash_attention", "efficient_attention", "multi_head_attention"}},
    {"normalization",
     {"batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm", "local_response_norm"}},
    {"activation",
     {"relu", "threshold", "clamp_min", "leaky_relu", "hardtanh", "hardswish", "gelu", "silu", "elu",
      "sigmoid", "tanh", "softplus", "log_sigmoid", "softmax"}},
    {"pooling", {"max_pool", "avg_pool", "adaptive_max_pool", "adaptive_avg_pool"}},
    {"dropout", {"dropout", "feature_dropout", "random"}},
    {"loss",
     {"cross_entropy", "log_softmax", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
      "binary_cross_entropy", "kl_div"}},
    {"embedding", {"embedding"}},
    {"copy and layout", {"copy",         "to",           "clone",   "contiguous",    "reorder",
                         "view",         "unsafe_view",  "reshape", "reshape_alias", "flatten",
                         "as_strided",   "expand",       "permute", "transpose",     "t",
                         "slice",        "select",       "narrow",  "squeeze",       "unsqueeze",
                         "split",        "chunk",        "unbind",  "cat",           "stack",
                         "constant_pad", "index_select", "memcpy"}},
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
    const auto is_first = [&words](std::string_view maker) { return starts_with_word(words, maker); };
    const auto* const maker = std::ranges::find_if(kMakers, is_first);
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
  std::string_view kind;
  std::size_t longest = 0;  // The longest prefix that fits decides.
  for (const Rule& rule : kRules) {
    for (const std::string_view prefix : rule.prefixes) {
      if (prefix.size() <= longest || !starts_with_word(words, prefix)) continue;
      longest = prefix.size();
      kind = rule.kind;
    }
  }
  return kind;
}

bool is_composite(std::string_view kind) { return kind == kRecurrent || kind == kAttention; }

}  // namespace gpubench
