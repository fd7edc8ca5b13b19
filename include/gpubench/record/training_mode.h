#pragma once
// How a case is run, beside what it trains: names as on the command line and in files.

#include <string>

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

/// What numbers the training computes with.
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

/// What differs from the default mode: "amp-bf16, channels-last"; empty where nothing does.
std::string mode_text(const TrainingMode& mode);

}  // namespace gpubench
