#include "gpubench/power_meter.h"

#ifdef __APPLE__
#include <CoreFoundation/CoreFoundation.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <type_traits>
#endif

namespace gpubench::apple_plugin {
namespace {

#ifdef __APPLE__

struct Release {
  void operator()(CFTypeRef object) const { CFRelease(object); }
};

template <class Ref>
using Owned = std::unique_ptr<std::remove_pointer_t<Ref>, Release>;

using Subscription = struct IOReportSubscription*;

/// Functions of IOReport, which has no public header: signatures as in macmon and socpowerbud.
struct IoReport {
  CFMutableDictionaryRef (*copy_channels)(CFStringRef group, CFStringRef, uint64_t, uint64_t, uint64_t);
  Subscription (*subscribe)(void*, CFMutableDictionaryRef, CFMutableDictionaryRef*, uint64_t, CFTypeRef);
  CFDictionaryRef (*sample)(Subscription, CFMutableDictionaryRef, CFTypeRef);
  CFDictionaryRef (*difference)(CFDictionaryRef before, CFDictionaryRef after, CFTypeRef);
  CFStringRef (*name)(CFDictionaryRef channel);
  CFStringRef (*unit)(CFDictionaryRef channel);
  int64_t (*value)(CFDictionaryRef channel, int32_t);
};

template <class Function>
bool resolve(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  return function != nullptr;
}

/// Loads the library for good: macOS has it in memory anyway. Returns false if a function is missing.
bool load(IoReport& io) {
  void* const library = dlopen("/usr/lib/libIOReport.dylib", RTLD_NOW | RTLD_LOCAL);
  return library != nullptr && resolve(library, "IOReportCopyChannelsInGroup", io.copy_channels) &&
         resolve(library, "IOReportCreateSubscription", io.subscribe) &&
         resolve(library, "IOReportCreateSamples", io.sample) &&
         resolve(library, "IOReportCreateSamplesDelta", io.difference) &&
         resolve(library, "IOReportChannelGetChannelName", io.name) &&
         resolve(library, "IOReportChannelGetUnitLabel", io.unit) &&
         resolve(library, "IOReportSimpleGetIntegerValue", io.value);
}

std::string to_text(CFStringRef string) {
  std::array<char, 128> text{};
  if (string == nullptr || !CFStringGetCString(string, text.data(), text.size(), kCFStringEncodingUTF8))
    return "";
  return text.data();
}

std::vector<CFDictionaryRef> channels_in(CFDictionaryRef list) {
  std::vector<CFDictionaryRef> channels;
  const auto array = static_cast<CFArrayRef>(CFDictionaryGetValue(list, CFSTR("IOReportChannels")));
  const CFIndex count = array == nullptr ? 0 : CFArrayGetCount(array);
  for (CFIndex index = 0; index < count; ++index) {
    channels.push_back(static_cast<CFDictionaryRef>(CFArrayGetValueAtIndex(array, index)));
  }
  return channels;
}

/// Returns the joules of a unit, 0 if unknown. Units differ between chips and channels.
double joules_per(const std::string& unit) {
  static const std::map<std::string, double> kUnits = {{"mJ", 1e-3}, {"uJ", 1e-6}, {"nJ", 1e-9}};
  const auto known = kUnits.find(unit.substr(0, unit.find(' ')));
  return known == kUnits.end() ? 0 : known->second;
}

/// Part of the chip, with the name of its channels: one, or one per die.
struct Rail {
  std::string part;
  std::string device;
  PowerScope scope;
  std::string channel;
};

class RailCounters {
 public:
  RailCounters(const IoReport& io, Owned<CFMutableDictionaryRef> channels)
      : io_(io), wanted_(std::move(channels)) {
    CFMutableDictionaryRef subscribed = nullptr;
    subscription_.reset(io_.subscribe(nullptr, wanted_.get(), &subscribed, 0, nullptr));
    subscribed_.reset(subscribed);
    last_ = sample();
  }

  bool answers() const { return last_ != nullptr; }

  PowerReading read() {
    Owned<CFDictionaryRef> now = sample();
    if (now == nullptr) return {.energy = missing("IOReport returned no sample")};
    const Owned<CFDictionaryRef> growth(io_.difference(last_.get(), now.get(), nullptr));
    last_ = std::move(now);
    if (growth == nullptr) return {.energy = total_};
    for (const CFDictionaryRef channel : channels_in(growth.get())) {
      // Counters restart after sleep.
      const auto count = static_cast<double>(std::max<int64_t>(io_.value(channel, 0), 0));
      total_ = total_ + Joules{count * joules_per(to_text(io_.unit(channel)))};
    }
    return {.energy = total_};
  }

 private:
  Owned<CFDictionaryRef> sample() const {
    if (subscription_ == nullptr || subscribed_ == nullptr) return nullptr;
    return Owned<CFDictionaryRef>(io_.sample(subscription_.get(), subscribed_.get(), nullptr));
  }

  IoReport io_;
  Owned<CFMutableDictionaryRef> wanted_;
  Owned<CFMutableDictionaryRef> subscribed_;
  Owned<Subscription> subscription_;
  Owned<CFDictionaryRef> last_;
  Joules total_{0};
};

/// Returns the channels called `name`, or those per die, "DIE_0_CPU Energy"; nullptr if both are missing.
Owned<CFMutableDictionaryRef> channels_named(const IoReport& io, CFDictionaryRef all,
                                             const std::string& name) {
  Owned<CFMutableArrayRef> whole(CFArrayCreateMutable(nullptr, 0, &kCFTypeArrayCallBacks));
  Owned<CFMutableArrayRef> dies(CFArrayCreateMutable(nullptr, 0, &kCFTypeArrayCallBacks));
  for (const CFDictionaryRef channel : channels_in(all)) {
    const std::string found = to_text(io.name(channel));
    if (joules_per(to_text(io.unit(channel))) == 0) continue;
    if (found == name) CFArrayAppendValue(whole.get(), channel);
    if (found.starts_with("DIE_") && found.ends_with("_" + name)) CFArrayAppendValue(dies.get(), channel);
  }
  const CFMutableArrayRef kept = CFArrayGetCount(whole.get()) > 0 ? whole.get() : dies.get();
  if (CFArrayGetCount(kept) == 0) return nullptr;
  Owned<CFMutableDictionaryRef> list(CFDictionaryCreateMutableCopy(nullptr, 0, all));
  CFDictionarySetValue(list.get(), CFSTR("IOReportChannels"), kept);
  return list;
}

PowerSources open(const MeterRequest&, std::string& why_not) {
  IoReport io{};
  PowerSources sources;
  why_not = "IOReport has no energy counters on this machine; use a Mac with Apple silicon";
  if (!load(io)) return sources;
  const Owned<CFMutableDictionaryRef> all(io.copy_channels(CFSTR("Energy Model"), nullptr, 0, 0, 0));
  if (all == nullptr) return sources;
  const std::array<Rail, 2> rails = {{{"GPU", "mps", PowerScope::kGpuRail, "GPU Energy"},
                                      {"CPU", "cpu", PowerScope::kCpuPackage, "CPU Energy"}}};
  for (const Rail& rail : rails) {
    auto channels = channels_named(io, all.get(), rail.channel);
    if (channels == nullptr) continue;
    const auto counters = std::make_shared<RailCounters>(io, std::move(channels));
    if (!counters->answers()) continue;
    sources.push_back({{.meter = "apple",
                        .part = rail.part,
                        .device = rail.device,
                        .scope = rail.scope,
                        .accuracy = "an estimate, unsuitable for comparing machines (Apple, powermetrics)"},
                       [counters] { return counters->read(); }});
  }
  if (!sources.empty()) why_not.clear();
  return sources;
}

#else

PowerSources open(const MeterRequest&, std::string& why_not) {
  why_not = "needs macOS; on Linux use nvml or rapl";
  return {};
}

#endif

}  // namespace

MeterEntry entry_apple() { return {"apple", "GPU and CPU of Apple silicon, from macOS", true, open}; }

}  // namespace gpubench::apple_plugin
