#include "engine/isolation/isolated_executor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "device/host/host_process.h"
#include "engine/isolation/child_process.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kAlignment = 64;

[[noreturn]] void fail(int error) {
  throw Error(
      ErrorKind::kUsage,
      "a dataset cannot be shared with the cases' processes: {}; free some memory, or try --in-process",
      std::strerror(error));
}

constexpr std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// Maps the memory of the descriptor; null for size 0.
std::shared_ptr<std::byte> make_mapping(int descriptor, std::size_t size, int protection) {
  if (size == 0) return nullptr;
  void* const memory = mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail(errno);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

HostArray array_in(std::span<const std::byte> memory, const Json& place) {
  const auto bytes =
      memory.subspan(place.at("offset").get<std::size_t>(), place.at("size").get<std::size_t>());
  return {place.at("type").get<ElementType>(), place.at("shape").get<std::vector<std::int64_t>>(), {}, bytes};
}

}  // namespace

SharedDataset::SharedDataset(const Dataset& dataset)
    : memory(moved_up(create_shared_memory())), facts(make_facts(dataset)) {
  if (!memory.is_open()) fail(errno);
  std::size_t size = 0;
  const auto place = [&](const HostArray& array) -> Json {
    const std::size_t bytes = array.data().size();
    return {{"type", static_cast<int>(array.type)},
            {"shape", array.shape},
            {"offset", std::exchange(size, size + aligned(bytes))},
            {"size", bytes}};
  };
  const Split* const splits[] = {&dataset.train, &dataset.validation, &dataset.test};
  Json places = Json::array();
  for (const Split* split : splits)
    places.push_back({{"inputs", place(split->inputs)}, {"targets", place(split->targets)}});
  if (size > 0 && ftruncate(memory.get(), static_cast<off_t>(size)) != 0) fail(errno);
  // Unmapped after copying, so that this process stays small.
  const auto mapping = make_mapping(memory.get(), size, PROT_READ | PROT_WRITE);
  std::size_t offset = 0;
  for (const Split* split : splits) {
    for (const HostArray* array : {&split->inputs, &split->targets}) {
      std::ranges::copy(array->data(), mapping.get() + offset);
      offset += aligned(array->data().size());
    }
  }
  layout = {{"descriptor", memory.get()},
            {"size", size},
            {"splits", places},
            {"name", dataset.record.name},
            {"synthetic", dataset.record.is_synthetic}};
}

MappedDataset::MappedDataset(const Json& layout, const DataSpec& spec) {
  const auto size = layout.at("size").get<std::size_t>();
  memory = make_mapping(layout.at("descriptor").get<int>(), size, PROT_READ);
  const auto split = [&, bytes = std::span<const std::byte>(memory.get(), size)](std::size_t index) {
    const Json& places = layout.at("splits").at(index);
    return Split{array_in(bytes, places.at("inputs")), array_in(bytes, places.at("targets"))};
  };
  dataset = {spec, split(0), split(1), split(2), {}};
  dataset.record.name = layout.at("name").get<std::string>();
  dataset.record.is_synthetic = layout.at("synthetic").get<bool>();
}

}  // namespace gpubench
