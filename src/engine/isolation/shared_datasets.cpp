#include "engine/isolation/shared_datasets.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "device/host/host_process.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr int kFirstFree = 10;  // Descriptors below have a meaning in a child.

[[noreturn]] void fail(int error) {
  throw Error(ErrorKind::kInternal,
              "a dataset cannot be shared with the cases' processes: {}; try --isolate none",
              std::strerror(error));
}

FileDescriptor open_memory() {
  const FileDescriptor memory(create_shared_memory());
  FileDescriptor moved(memory.is_open() ? fcntl(memory.get(), F_DUPFD_CLOEXEC, kFirstFree) : -1);
  if (!moved.is_open()) fail(errno);
  return moved;
}

constexpr std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// The memory of the descriptor for as long as somebody holds it; null where its size is 0.
std::shared_ptr<std::byte> mapping_of(int descriptor, std::size_t size, int protection) {
  if (size == 0) return nullptr;
  void* const memory = mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail(errno);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

std::size_t total_size(const Dataset& dataset) {
  std::size_t size = 0;
  for (const Split* split : {&dataset.train, &dataset.validation, &dataset.test}) {
    size += aligned(split->inputs.data().size()) + aligned(split->targets.data().size());
  }
  return size;
}

/// The array that lies there.
HostArray array_in(std::span<const std::byte> memory, const Json& place) {
  const auto offset = place.at("offset").get<std::size_t>();
  const auto size = place.at("size").get<std::size_t>();
  if (offset > memory.size() || size > memory.size() - offset) {
    throw Error(ErrorKind::kData, "a shared dataset does not fit its memory");
  }
  return {static_cast<ElementType>(place.at("type").get<int>()),
          place.at("shape").get<std::vector<std::int64_t>>(),
          {},
          memory.subspan(offset, size)};
}

}  // namespace

SharedDataset::SharedDataset(const Dataset& dataset) : memory(open_memory()), facts(facts_of(dataset)) {
  const std::size_t size = total_size(dataset);
  if (size > 0 && ftruncate(memory.get(), static_cast<off_t>(size)) != 0) fail(errno);
  // Lasts no longer than copying takes, so that this process stays small.
  const auto mapping = mapping_of(memory.get(), size, PROT_READ | PROT_WRITE);
  std::size_t end = 0;
  const auto place = [&](const HostArray& array) -> Json {
    const auto bytes = array.data();
    const std::size_t offset = std::exchange(end, end + aligned(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), mapping.get() + offset);
    return {{"type", static_cast<int>(array.type)},
            {"shape", array.shape},
            {"offset", offset},
            {"size", bytes.size()}};
  };
  Json splits = Json::array();
  for (const Split* split : {&dataset.train, &dataset.validation, &dataset.test}) {
    splits.push_back({{"inputs", place(split->inputs)}, {"targets", place(split->targets)}});
  }
  layout = {{"descriptor", memory.get()},
            {"size", size},
            {"splits", splits},
            {"name", dataset.record.name},
            {"synthetic", dataset.record.is_synthetic}};
}

MappedDataset::MappedDataset(const Json& layout, const DataSpec& spec) {
  const auto size = layout.at("size").get<std::size_t>();
  memory = mapping_of(layout.at("descriptor").get<int>(), size, PROT_READ);
  const auto split = [&, bytes = std::span<const std::byte>(memory.get(), size)](std::size_t index) {
    const Json& places = layout.at("splits").at(index);
    return Split{array_in(bytes, places.at("inputs")), array_in(bytes, places.at("targets"))};
  };
  dataset = {spec, split(0), split(1), split(2), {}};
  dataset.record.name = layout.at("name").get<std::string>();
  dataset.record.is_synthetic = layout.at("synthetic").get<bool>();
}

}  // namespace gpubench
