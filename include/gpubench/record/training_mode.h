#pragma once
// How a case is run, beside what it trains: names as on the command line and in files.

#include <string>

namespace gpubench {

/// How a case is run and timed; see docs/protocols.md.
enum class Protocol {
  kEpoch,  ///< Epochs alone, one after the other; evaluation after the last one, untimed.
  kFit,    ///< What a user's whole `fit` takes: build, transfer, epochs, validation after each epoch.
};

/// "epoch", "fit".
std::string to_string(Protocol protocol);

/// The protocol that `text` names. Throws a usage Error for an unknown one.
Protocol protocol_named(const std::string& text);

/// How the operations of a step reach the device.
enum class Execution {
  kAuto,   ///< Graph where it is supported, else eager.
  kEager,  ///< Each operation is launched by itself.
  kGraph,  ///< Recorded once and launched as a whole: whole epochs, or blocks of steps of long ones.
};

/// What numbers the training computes with.
enum class Precision {
  kFp32,     ///< Strict: TF32 is off everywhere.
  kTf32,     ///< Matrix products and convolutions round their inputs to 10 bits of mantissa.
  kBf16,     ///< Parameters, inputs and activations; the optimiser keeps fp32 copies of the parameters.
  kFp16,     ///< Likewise, with a scaled loss.
  kAmpBf16,  ///< Autocast: fp32 parameters, bf16 where LibTorch deems it safe.
  kAmpFp16,  ///< Autocast with a scaled loss.
};

/// How the channels of images lie in memory.
enum class Layout {
  kAuto,  ///< The faster one in a trial; nchw for networks without convolutions.
  kNchw,
  kChannelsLast,
};

/// How samples come to the device.
enum class Loader {
  kResident,  ///< All of them are on the device before the first epoch.
  kHost,      ///< They stay in host memory; batches are prefetched, as where the device is too small.
};

/// The modes of a case.
struct TrainingMode {
  Execution execution = Execution::kAuto;
  Precision precision = Precision::kFp32;
  Layout layout = Layout::kAuto;
  Loader loader = Loader::kResident;

  friend bool operator==(const TrainingMode&, const TrainingMode&) = default;
};

// Names as in files: "auto", "amp-bf16", "channels-last", "host".
std::string to_string(Execution execution);
std::string to_string(Precision precision);
std::string to_string(Layout layout);
std::string to_string(Loader loader);

// The values that names stand for. Each throws a usage Error for an unknown one, with the nearest known one.
Execution execution_named(const std::string& text);
Precision precision_named(const std::string& text);
Layout layout_named(const std::string& text);
Loader loader_named(const std::string& text);

/// What differs from the default mode: "amp-bf16, channels-last"; empty where nothing does.
std::string mode_text(const TrainingMode& mode);

}  // namespace gpubench
