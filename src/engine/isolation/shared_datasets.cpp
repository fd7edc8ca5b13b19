#include "engine/isolation/shared_datasets.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "device/host/host_process.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr int kFirstFree = 10;  // Descriptors below have a meaning in a child.

[[noreturn]] void fail(int error) {
  throw Error(ErrorKind::kInternal, std::string("a dataset cannot be shared with the cases' processes: ") +
                                        std::strerror(error) + "; try --isolate none");
}

FileDescriptor open_memory() {
  const FileDescriptor memory(create_shared_memory());
  FileDescriptor moved(memory.is_open() ? fcntl(memory.get(), F_DUPFD_CLOEXEC, kFirstFree) : -1);
  if (!moved.is_open()) fail(errno);
  return moved;
}

constexpr std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// A mapping that lasts no longer than copying takes, so that this process stays small.
class Window {
 public:
  Window(int descriptor, std::size_t size) : size_(size) {
    if (size == 0) return;
    if (ftruncate(descriptor, static_cast<off_t>(size)) != 0) fail(errno);
    memory_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory_ == MAP_FAILED) fail(errno);
  }
  ~Window() {
    if (size_ > 0) munmap(memory_, size_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void copy(std::span<const std::byte> bytes, std::size_t offset) {
    if (!bytes.empty()) std::memcpy(static_cast<std::byte*>(memory_) + offset, bytes.data(), bytes.size());
  }

 private:
  std::size_t size_;
  void* memory_ = nullptr;
};

std::size_t total_size(const Dataset& dataset) {
  std::size_t size = 0;
  for (const Split* split : {&dataset.train, &dataset.validation, &dataset.test}) {
    size += aligned(split->inputs.data().size()) + aligned(split->targets.data().size());
  }
  return size;
}

}  // namespace

SharedDataset::SharedDataset(const Dataset& dataset) : memory_(open_memory()), facts_(facts_of(dataset)) {
  const std::size_t size = total_size(dataset);
  Window window(memory_.get(), size);
  Json splits = Json::array();
  std::size_t end = 0;
  const auto place = [&](const HostArray& array) -> Json {
    const std::size_t offset = std::exchange(end, end + aligned(array.data().size()));
    window.copy(array.data(), offset);
    return {{"type", static_cast<int>(array.type)},
            {"shape", array.shape},
            {"offset", offset},
            {"size", array.data().size()}};
  };
  for (const Split* split : {&dataset.train, &dataset.validation, &dataset.test}) {
    splits.push_back({{"inputs", place(split->inputs)}, {"targets", place(split->targets)}});
  }
  layout_ = {{"descriptor", descriptor()},
             {"size", size},
             {"splits", splits},
             {"name", dataset.record.name},
             {"synthetic", dataset.record.is_synthetic}};
}

MappedDataset::MappedDataset(const Json& layout, const DataSpec& spec)
    : size_(layout.at("size").get<std::size_t>()) {
  if (size_ > 0) {
    void* memory = mmap(nullptr, size_, PROT_READ, MAP_SHARED, layout.at("descriptor").get<int>(), 0);
    if (memory == MAP_FAILED) fail(errno);
    memory_ = static_cast<std::byte*>(memory);
  }
  dataset_.spec = spec;
  dataset_.record.name = layout.at("name").get<std::string>();
  dataset_.record.is_synthetic = layout.at("synthetic").get<bool>();
  const Json& splits = layout.at("splits");
  dataset_.train = split(splits.at(0));
  dataset_.validation = split(splits.at(1));
  dataset_.test = split(splits.at(2));
}

MappedDataset::~MappedDataset() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

HostArray MappedDataset::array(const Json& place) const {
  const auto offset = place.at("offset").get<std::size_t>();
  const auto size = place.at("size").get<std::size_t>();
  if (offset > size_ || size > size_ - offset) {
    throw Error(ErrorKind::kData, "a shared dataset does not fit its memory");
  }
  return {static_cast<ElementType>(place.at("type").get<int>()),
          place.at("shape").get<std::vector<std::int64_t>>(),
          {},
          {memory_ + offset, size}};
}

Split MappedDataset::split(const Json& places) const {
  return {array(places.at("inputs")), array(places.at("targets"))};
}

}  // namespace gpubench
