#pragma once
// Parameters of cases, operations and collectives. parameter.h has their tables.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// Launch mode of operations.
enum class Execution {
  kAuto,   ///< Graph if supported, else eager.
  kEager,  ///< One launch per operation.
  kGraph,  ///< Recorded epochs, or blocks of steps of long epochs, launched as a whole.
};
inline constexpr std::array kExecutionNames{"auto", "eager", "graph"};
constexpr EnumNames<Execution> enum_names(Execution) { return {"execution", kExecutionNames}; }

/// Number formats of a training.
enum class Precision {
  kFp32,     ///< Strict fp32 without TF32.
  kTf32,     ///< fp32 with TF32 in matrix products and convolutions.
  kBf16,     ///< bf16 parameters, inputs and activations; fp32 master weights in the optimizer.
  kFp16,     ///< fp16 parameters, inputs and activations; fp32 master weights and loss scaling.
  kAmpBf16,  ///< Autocast: fp32 parameters, bf16 in operations that LibTorch selects.
  kAmpFp16,  ///< Autocast to fp16 with loss scaling.
};
inline constexpr std::array kPrecisionNames{"fp32", "tf32", "bf16", "fp16", "amp-bf16", "amp-fp16"};
constexpr EnumNames<Precision> enum_names(Precision) { return {"precision", kPrecisionNames}; }

/// Memory format of images.
enum class Layout {
  kAuto,  ///< The faster format in a trial; nchw for networks without convolutions.
  kNchw,
  kChannelsLast,
};
inline constexpr std::array kLayoutNames{"auto", "nchw", "channels-last"};
constexpr EnumNames<Layout> enum_names(Layout) { return {"layout", kLayoutNames}; }

/// Location of the samples.
enum class Loader {
  kResident,  ///< Device memory, copied before the first epoch.
  kHost,      ///< Host memory, with prefetched batches; for data larger than device memory.
};
inline constexpr std::array kLoaderNames{"resident", "host"};
constexpr EnumNames<Loader> enum_names(Loader) { return {"loader", kLoaderNames}; }

struct TrainingMode {
  Execution execution = Execution::kAuto;
  Precision precision = Precision::kFp32;
  Layout layout = Layout::kAuto;
  Loader loader = Loader::kResident;

  friend bool operator==(const TrainingMode&, const TrainingMode&) = default;
};

/// Formats the differences from the default mode: "amp-bf16, channels-last"; empty if none.
std::string mode_text(const TrainingMode& mode);

/// Maximum number of epochs of a case, which limits the size of a record.
inline constexpr std::int64_t kMostEpochs = 100'000;

/// Parameters of a case. Members are empty by default; Grid sets the defaults of options.
struct TrainPoint {
  std::string model{};
  std::string sizes{};          ///< Model sizes: "embedding=200,layers=2"; empty: default sizes.
  std::string device{};         ///< "auto" or a name such as "cuda:0".
  std::string dataset{};        ///< Name of a dataset, "auto" or "synthetic".
  std::int64_t batch_size = 0;  ///< Samples per optimizer step, over all ranks.
  std::int64_t rank_batch = 0;  ///< Samples per optimizer step and rank; 0: given by `batch_size`.
  std::int64_t ranks = 1;       ///< World size; 0: 1, 2, 4, ... up to all.
  std::int64_t accumulate = 1;  ///< Micro-batches per optimizer step (gradient accumulation).
  TrainingMode mode{};
  std::string protocol = "epoch";  ///< Timed work; belongs to a workload, see workload.h.
  std::int64_t repeat = 1;         ///< Number of the repeat, from 1.
  std::int64_t epochs = 0;         ///< Maximum number of epochs, warm-up included; 0: default.
  std::int64_t min_epochs = 0;     ///< Minimum number of epochs, warm-up included; `epochs` if fixed.
  std::int64_t warmup_epochs = 0;  ///< First epochs, which statistics exclude; -1: `auto`.
  Seconds min_timed{0};            ///< Minimum total time of the epochs after the warm-up.
  Measured<double> target_rel_ci95 = missing("the number of epochs is fixed");  ///< See `--target-ci`.
  std::int64_t seed = 0;
  double learning_rate = 0;      ///< Learning rate; 0: the model's default.
  std::int64_t max_samples = 0;  ///< Maximum samples per split; 0: all.
  bool is_profiled = false;      ///< Profiles some steps after the timed epochs.
  std::string trace{};           ///< Folder for Chrome traces of the profiled steps; empty: none.

  friend bool operator==(const TrainPoint&, const TrainPoint&) = default;
};

/// Number formats of operations.
enum class OpType { kFp32, kFp16, kBf16, kFp64, kInt32, kInt64 };
inline constexpr std::array kOpTypeNames{"fp32", "fp16", "bf16", "fp64", "int32", "int64"};
constexpr EnumNames<OpType> enum_names(OpType) { return {"type", kOpTypeNames}; }

inline std::vector<OpType> all_op_types() {
  return {OpType::kFp32, OpType::kFp16, OpType::kBf16, OpType::kFp64, OpType::kInt32, OpType::kInt64};
}

/// Content of a call: the operation only, or also the gradients of all inputs.
enum class OpDirection { kForward, kForwardBackward };
inline constexpr std::array kOpDirectionNames{"forward", "forward+backward"};
constexpr EnumNames<OpDirection> enum_names(OpDirection) { return {"direction", kOpDirectionNames}; }

/// State of the caches before a call: warm with the inputs, or cold, filled with other data.
enum class OpCache { kWarm, kCold };
inline constexpr std::array kOpCacheNames{"warm", "cold"};
constexpr EnumNames<OpCache> enum_names(OpCache) { return {"cache", kOpCacheNames}; }

/// Protocol of timing calls.
enum class OpProtocol {
  kDefault,  ///< Samples until the time limit.
  kS4,       ///< Second of two calls, as in the published tables.
};
inline constexpr std::array kOpProtocolNames{"default", "s4"};
constexpr EnumNames<OpProtocol> enum_names(OpProtocol) { return {"protocol", kOpProtocolNames}; }

/// Parameters of an operation or a collective. Grid sets the defaults of options.
struct OpPoint {
  std::string op;     ///< "matmul".
  std::string sizes;  ///< "64x1024x128 axis=0", the format of parse_op_case().
  OpType type = OpType::kFp32;
  OpDirection direction = OpDirection::kForward;
  OpCache cache = OpCache::kWarm;
  std::string device;       ///< "auto" or a name such as "cuda:0".
  std::int64_t ranks = 1;   ///< Ranks of a collective.
  std::int64_t repeat = 1;  ///< Number of the repeat, from 1.
  std::int64_t seed = 0;    ///< Seed of the inputs.
  Seconds sample{0.005};    ///< Minimum time of a sample.
  Seconds limit{0.5};       ///< Latest start of a sample; the first three may start within 10 s.
  std::int64_t most_samples = 100;
  OpProtocol protocol = OpProtocol::kDefault;

  friend bool operator==(const OpPoint&, const OpPoint&) = default;
};

}  // namespace gpubench
