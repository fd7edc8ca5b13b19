#pragma once
// Parameters of a training, an operation or a collective. Their tables are in parameter.h.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// How a case is run and timed; see docs/protocols.md.
enum class Protocol {
  kEpoch,  ///< Epochs alone, one after the other; evaluation after the last one, untimed.
  kFit,    ///< What a user's whole `fit` takes: build, transfer, epochs, validation after each epoch.
};
inline constexpr std::array kProtocolNames{"epoch", "fit"};
constexpr EnumNames<Protocol> enum_names(Protocol) { return {"protocol", kProtocolNames}; }

/// How the operations of a step reach the device.
enum class Execution {
  kAuto,   ///< Graph where it is supported, else eager.
  kEager,  ///< Each operation is launched by itself.
  kGraph,  ///< Recorded once and launched as a whole: whole epochs, or blocks of steps of long ones.
};
inline constexpr std::array kExecutionNames{"auto", "eager", "graph"};
constexpr EnumNames<Execution> enum_names(Execution) { return {"execution", kExecutionNames}; }

/// Types of numbers in a training.
enum class Precision {
  kFp32,     ///< Strict: TF32 is off everywhere.
  kTf32,     ///< Matrix products and convolutions round their inputs to 10 bits of mantissa.
  kBf16,     ///< Parameters, inputs and activations; the optimiser keeps fp32 copies of the parameters.
  kFp16,     ///< Likewise, with a scaled loss.
  kAmpBf16,  ///< Autocast: fp32 parameters, bf16 where LibTorch deems it safe.
  kAmpFp16,  ///< Autocast with a scaled loss.
};
inline constexpr std::array kPrecisionNames{"fp32", "tf32", "bf16", "fp16", "amp-bf16", "amp-fp16"};
constexpr EnumNames<Precision> enum_names(Precision) { return {"precision", kPrecisionNames}; }

/// How the channels of images lie in memory.
enum class Layout {
  kAuto,  ///< The faster one in a trial; nchw for networks without convolutions.
  kNchw,
  kChannelsLast,
};
inline constexpr std::array kLayoutNames{"auto", "nchw", "channels-last"};
constexpr EnumNames<Layout> enum_names(Layout) { return {"layout", kLayoutNames}; }

/// How samples come to the device.
enum class Loader {
  kResident,  ///< All of them are on the device before the first epoch.
  kHost,      ///< They stay in host memory; batches are prefetched, as where the device is too small.
};
inline constexpr std::array kLoaderNames{"resident", "host"};
constexpr EnumNames<Loader> enum_names(Loader) { return {"loader", kLoaderNames}; }

/// The modes of a case.
struct TrainingMode {
  Execution execution = Execution::kAuto;
  Precision precision = Precision::kFp32;
  Layout layout = Layout::kAuto;
  Loader loader = Loader::kResident;

  friend bool operator==(const TrainingMode&, const TrainingMode&) = default;
};

/// Returns the differences from the default mode: "amp-bf16, channels-last"; empty without any.
std::string mode_text(const TrainingMode& mode);

/// Maximum number of epochs of a case: a record of more would be too large to read.
inline constexpr std::int64_t kMostEpochs = 100'000;

/// A point of a grid of trainings. A default-constructed one is empty; a Grid has the defaults.
struct TrainPoint {
  std::string model{};
  std::string sizes{};          ///< "embedding=200,layers=2"; empty: the model's own.
  std::string device{};         ///< "auto" or a name such as "cuda:0".
  std::string dataset{};        ///< A dataset's name, "auto" or "synthetic".
  std::int64_t batch_size = 0;  ///< Samples per optimizer step, over all ranks.
  std::int64_t rank_batch = 0;  ///< Samples per optimizer step of each rank instead; 0: `batch_size` counts.
  std::int64_t ranks = 1;       ///< Processes that train together; 0: 1, 2, 4, ... up to all.
  std::int64_t accumulate = 1;  ///< Micro-batches per optimizer step, whose gradients add up.
  TrainingMode mode{};
  Protocol protocol = Protocol::kEpoch;
  std::int64_t repeat = 1;         ///< Repetition, from 1. Each has a process of its own.
  std::int64_t epochs = 0;         ///< Maximum number, warm-up included; 0: by the default.
  std::int64_t min_epochs = 0;     ///< Minimum number, warm-up included; equal to `epochs` if fixed.
  std::int64_t warmup_epochs = 0;  ///< First epochs, which statistics leave out; -1: `auto`.
  Seconds min_timed{0};            ///< Minimum total time of the epochs after the warm-up.
  Measured<double> target_rel_ci95 = missing("the number of epochs is fixed");  ///< See `--target-ci`.
  std::int64_t seed = 0;
  double learning_rate = 0;      ///< 0: the model's own recipe.
  std::int64_t max_samples = 0;  ///< Samples used of each split; 0: all.
  bool is_profiled = false;      ///< Profiles steps after the timed epochs.
  std::string trace{};           ///< Folder for the Chrome traces of these steps; empty: none.

  friend bool operator==(const TrainPoint&, const TrainPoint&) = default;
};

/// Types of numbers that operations are run with.
enum class OpType { kFp32, kFp16, kBf16, kFp64, kInt32, kInt64 };
inline constexpr std::array kOpTypeNames{"fp32", "fp16", "bf16", "fp64", "int32", "int64"};
constexpr EnumNames<OpType> enum_names(OpType) { return {"type", kOpTypeNames}; }

/// In the order above.
inline std::vector<OpType> all_op_types() {
  return {OpType::kFp32, OpType::kFp16, OpType::kBf16, OpType::kFp64, OpType::kInt32, OpType::kInt64};
}

/// Content of a call: the operation alone, or with the gradients of all of its inputs.
enum class OpDirection { kForward, kForwardBackward };
inline constexpr std::array kOpDirectionNames{"forward", "forward+backward"};
constexpr EnumNames<OpDirection> enum_names(OpDirection) { return {"direction", kOpDirectionNames}; }

/// State of the caches before a call: the inputs where the last call left them, or other data.
enum class OpCache { kWarm, kCold };
inline constexpr std::array kOpCacheNames{"warm", "cold"};
constexpr EnumNames<OpCache> enum_names(OpCache) { return {"cache", kOpCacheNames}; }

/// Protocols of timing calls.
enum class OpProtocol {
  kDefault,  ///< Samples until their time is up.
  kS4,       ///< The second of two calls, as the published tables have it.
};
inline constexpr std::array kOpProtocolNames{"default", "s4"};
constexpr EnumNames<OpProtocol> enum_names(OpProtocol) { return {"protocol", kOpProtocolNames}; }

/// A point of a grid of operations. A default-constructed one is empty; a Grid has the defaults.
struct OpPoint {
  std::string op;     ///< "matmul".
  std::string sizes;  ///< "64x1024x128 axis=0", as parse_op_case() reads them.
  OpType type = OpType::kFp32;
  OpDirection direction = OpDirection::kForward;
  OpCache cache = OpCache::kWarm;
  std::string device;       ///< "auto" or a name such as "cuda:0".
  std::int64_t ranks = 1;   ///< Processes of a collective.
  std::int64_t repeat = 1;  ///< Repetition, from 1. Each has a process of its own.
  std::int64_t seed = 0;    ///< Of the inputs.
  Seconds sample{0.005};    ///< Minimum time of a sample.
  Seconds limit{0.5};       ///< No sample begins later, except the first three within 10 s.
  std::int64_t most_samples = 100;
  OpProtocol protocol = OpProtocol::kDefault;

  friend bool operator==(const OpPoint&, const OpPoint&) = default;
};

}  // namespace gpubench
