#include "engine/isolation/isolated_executor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "device/host/host_process.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kAlignment = 64;

[[noreturn]] void fail(int error) {
  throw Error(ErrorKind::kUsage, "cannot share a dataset with worker processes: {}; free memory and retry",
              std::strerror(error));
}

constexpr std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// Maps the memory of the descriptor. Returns null for size 0.
std::shared_ptr<std::byte> make_mapping(int descriptor, std::size_t size, int protection) {
  if (size == 0) return nullptr;
  void* const memory = mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail(errno);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

/// Lists the arrays in their order in memory.
std::array<const HostArray*, 6> list_arrays(const Dataset& dataset) {
  return {&dataset.train.inputs,       &dataset.train.targets, &dataset.validation.inputs,
          &dataset.validation.targets, &dataset.test.inputs,   &dataset.test.targets};
}

}  // namespace

SharedDataset::SharedDataset(const Dataset& dataset) : memory(moved_up(create_shared_memory())) {
  if (!memory.is_open()) fail(errno);
  std::size_t size = 0;
  Json places = Json::array();
  for (const HostArray* array : list_arrays(dataset)) {
    const std::size_t bytes = array->data().size();
    places.push_back({{"type", static_cast<int>(array->type)},
                      {"shape", array->shape},
                      {"offset", size},
                      {"size", bytes}});
    size += aligned(bytes);
  }
  if (size > 0 && ftruncate(memory.get(), static_cast<off_t>(size)) != 0) fail(errno);
  // The mapping ends after the copy, to keep this process small.
  const auto mapping = make_mapping(memory.get(), size, PROT_READ | PROT_WRITE);
  std::byte* to = mapping.get();
  for (const HostArray* array : list_arrays(dataset)) {
    std::ranges::copy(array->data(), to);
    to += aligned(array->data().size());
  }
  layout = {{"descriptor", memory.get()},
            {"size", size},
            {"arrays", places},
            {"name", dataset.record.name},
            {"synthetic", dataset.record.is_synthetic}};
}

MappedDataset::MappedDataset(const Json& layout, const DataSpec& spec) {
  const auto size = layout.at("size").get<std::size_t>();
  memory = make_mapping(layout.at("descriptor").get<int>(), size, PROT_READ);
  const auto array = [&, bytes = std::span<const std::byte>(memory.get(), size)](std::size_t index) {
    const Json& place = layout.at("arrays").at(index);
    return HostArray{
        place.at("type").get<ElementType>(),
        place.at("shape").get<std::vector<std::int64_t>>(),
        {},
        bytes.subspan(place.at("offset").get<std::size_t>(), place.at("size").get<std::size_t>())};
  };
  dataset = {spec, {array(0), array(1)}, {array(2), array(3)}, {array(4), array(5)}, {}};
  dataset.record.name = layout.at("name").get<std::string>();
  dataset.record.is_synthetic = layout.at("synthetic").get<bool>();
}

}  // namespace gpubench
