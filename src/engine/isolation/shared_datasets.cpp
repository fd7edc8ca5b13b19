#include "engine/isolation/shared_datasets.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "device/host/host_process.h"
#include "engine/execution/wire.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kAlignment = 64;

[[noreturn]] void fail(int error) {
  throw Error(
      ErrorKind::kUsage,
      "a dataset cannot be shared with the cases' processes: {}; free some memory, or try --isolate none",
      std::strerror(error));
}

FileDescriptor open_memory() {
  const FileDescriptor memory(create_shared_memory());
  FileDescriptor moved(memory.is_open() ? fcntl(memory.get(), F_DUPFD_CLOEXEC, kFirstFreeDescriptor) : -1);
  if (!moved.is_open()) fail(errno);
  return moved;
}

constexpr std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// The memory of the descriptor for as long as somebody holds it; null where its size is 0.
std::shared_ptr<std::byte> make_mapping(int descriptor, std::size_t size, int protection) {
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

[[noreturn]] void refuse() { throw Error(ErrorKind::kData, "a shared dataset does not fit its memory"); }

std::size_t count_bytes(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return 1;
    case ElementType::kInt32:
      return 4;
    case ElementType::kInt64:
      return 8;
  }
  refuse();
}

/// Whether elements of that type and shape are as many bytes.
bool fills(const HostArray& array, std::size_t size) {
  std::size_t elements = size / count_bytes(array.type);
  if (array.shape.empty()) return size == 0;
  std::size_t product = 1;
  for (const std::int64_t count : array.shape) {
    if (count < 0 || (product > 0 && static_cast<std::uint64_t>(count) > elements / product)) return false;
    product *= static_cast<std::size_t>(count);
  }
  return product == elements && size % count_bytes(array.type) == 0;
}

/// The array that lies there.
HostArray array_in(std::span<const std::byte> memory, const Json& place) {
  const auto offset = whole_number<std::size_t>(place.at("offset"));
  const auto size = whole_number<std::size_t>(place.at("size"));
  if (offset > memory.size() || size > memory.size() - offset) refuse();
  HostArray array{
      static_cast<ElementType>(whole_number<int>(place.at("type"))), {}, {}, memory.subspan(offset, size)};
  read_wire(place.at("shape"), array.shape);
  if (!fills(array, size)) refuse();
  return array;
}

/// Memory beyond the end of what is shared would end the process that looks at it.
std::size_t get_size(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

}  // namespace

SharedDataset::SharedDataset(const Dataset& dataset) : memory(open_memory()), facts(make_facts(dataset)) {
  const std::size_t size = total_size(dataset);
  if (size > 0 && ftruncate(memory.get(), static_cast<off_t>(size)) != 0) fail(errno);
  // Lasts no longer than copying takes, so that this process stays small.
  const auto mapping = make_mapping(memory.get(), size, PROT_READ | PROT_WRITE);
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

MappedDataset::MappedDataset(const Json& layout, const DataSpec& spec) try {
  const auto size = whole_number<std::size_t>(layout.at("size"));
  const int descriptor = whole_number<int>(layout.at("descriptor"));
  if (size > get_size(descriptor)) refuse();
  memory = make_mapping(descriptor, size, PROT_READ);
  const auto split = [&, bytes = std::span<const std::byte>(memory.get(), size)](std::size_t index) {
    const Json& places = layout.at("splits").at(index);
    return Split{array_in(bytes, places.at("inputs")), array_in(bytes, places.at("targets"))};
  };
  dataset = {spec, split(0), split(1), split(2), {}};
  dataset.record.name = layout.at("name").get<std::string>();
  dataset.record.is_synthetic = layout.at("synthetic").get<bool>();
} catch (const nlohmann::json::exception& error) {
  throw Error(ErrorKind::kData, "the layout of a shared dataset cannot be read: {}", error.what());
}

}  // namespace gpubench
