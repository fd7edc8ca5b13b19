#include "engine/group/rank_group.h"

#include <chrono>
#include <new>
#include <system_error>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>
#include <c10/util/hash.h>
#include <torch/version.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "device/host/network.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"

// LibTorch exports these classes, but hides their headers without Gloo and NCCL, so they are declared here.
// The library's constructors fill the objects (room_ exceeds their size); use is through Backend only.
namespace gloo::transport {
class Device;
}

namespace c10d {

class TORCH_API ProcessGroupGloo : public Backend {
 public:
  struct TORCH_API Options : public Backend::Options {
    explicit Options(std::chrono::milliseconds timeout = kBackendDefaultTimeout);
    std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
    int threads;
  };

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
  static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(const std::string& name,
                                                                            bool is_lazy);
#else
  static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(const std::string& name);
#endif
  explicit ProcessGroupGloo(const c10::intrusive_ptr<Store>& store, int rank, int size,
                            c10::intrusive_ptr<Options> options);
  ~ProcessGroupGloo() override;  // Defined in the library, like the virtual function table.

 private:
  std::byte room_[4096];
};

#if GPUBENCH_HAS_CUDA
class TORCH_API ProcessGroupNCCL : public Backend {
 public:
  struct Options : Backend::Options {
    explicit Options(bool is_high_priority_stream = false);

   private:
    std::byte room_[2048];
  };

  ProcessGroupNCCL(c10::intrusive_ptr<Store> store, int rank, int size, c10::intrusive_ptr<Options> options);
  ~ProcessGroupNCCL() override;

 private:
  std::byte room_[16384];
};
#endif

}  // namespace c10d

namespace gpubench {
namespace {

std::chrono::milliseconds to_milliseconds(Seconds time) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * time.value));
}

/// Returns true if this rank ran out of memory, threads or descriptors.
bool is_own_fault(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         dynamic_cast<const std::system_error*>(&error) != nullptr ||
         dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
}

c10::intrusive_ptr<c10d::Store> open_store(const RankContext& context) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(context.port);
  options.isServer = context.rank == 0;
  options.numWorkers = static_cast<std::size_t>(context.ranks);
  options.waitWorkers = false;
  options.timeout = to_milliseconds(context.timeout);
  if (context.listener >= 0) options.masterListenFd = context.listener;
  auto store = c10::make_intrusive<c10d::TCPStore>(context.host, options);
  return c10::make_intrusive<c10d::PrefixStore>(context.group_id, store);
}

/// Waits for all ranks. Throws a device Error if LibTorch has no backend for `device`.
c10::intrusive_ptr<c10d::Backend> make_backend(c10::Device device,
                                               const c10::intrusive_ptr<c10d::Store>& store,
                                               const RankContext& context) {
  const auto rank = static_cast<int>(context.rank);
  const auto ranks = static_cast<int>(context.ranks);
  if (device.is_cpu()) {
    using Gloo = c10d::ProcessGroupGloo;
    const std::string own_address = address_towards(context.host, context.port);
    auto options = c10::make_intrusive<Gloo::Options>(to_milliseconds(context.timeout));
    options->threads = 2;
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
    options->devices = {Gloo::createDeviceForHostname(own_address, /*is_lazy=*/false)};
#else
    options->devices = {Gloo::createDeviceForHostname(own_address)};
#endif
    return c10::make_intrusive<Gloo>(store, rank, ranks, std::move(options));
  }
  if (!device.is_cuda())
    throw Error(ErrorKind::kDevice, "{}: LibTorch has no collectives for this device; use cuda or cpu",
                device.str());
#if GPUBENCH_HAS_CUDA
  auto options = c10::make_intrusive<c10d::ProcessGroupNCCL::Options>();
  options->timeout = to_milliseconds(context.timeout);
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, ranks, std::move(options));
#else
  throw Error(ErrorKind::kDevice, "this LibTorch was built without NCCL; run 'gpubench setup --device cuda'");
#endif
}

}  // namespace

/// Converts the various c10d exceptions for a lost rank to LostConnection.
template <class Exchange>
auto RankGroup::guarded(Exchange exchange) {
  try {
    return exchange();
  } catch (const std::exception& error) {
    if (is_own_fault(error)) throw;
    monitor_.connection_lost();
    const auto* const torch_error = dynamic_cast<const c10::Error*>(&error);
    const std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
    throw LostConnection("lost connection to another rank: " + text.substr(0, text.find('\n')));
  }
}

RankGroup::RankGroup(const RankContext& context, c10::Device device, CaseMonitor& monitor)
    : monitor_(monitor),
      share_{context.rank, context.ranks},
      device_(device),
      backend_name_(device.is_cuda() ? "nccl" : "gloo") {
  guarded([&] {
    store_ = open_store(context);
    backend_ = make_backend(device, store_, context);
  });
  barrier();
}

RankGroup::~RankGroup() = default;

c10::intrusive_ptr<c10d::Work> RankGroup::start_sum(at::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return guarded([&] { return backend_->allreduce(tensors); });
}

void RankGroup::finish(c10d::Work& work) {
  guarded([&] { work.wait(); });
}

void RankGroup::broadcast(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  guarded([&] {
    for (const at::Tensor& tensor : tensors) {
      const at::Tensor own = tensor.detach();
      std::vector<at::Tensor> dense{own.is_contiguous() ? own : own.contiguous()};
      backend_->broadcast(dense)->wait();
      if (!dense.front().is_alias_of(own)) own.copy_(dense.front());
    }
  });
}

void RankGroup::sum(at::Tensor tensor) { finish(*start_sum(std::move(tensor))); }

void RankGroup::gather_into(at::Tensor all, at::Tensor own) {
  guarded([&] { backend_->_allgather_base(all, own)->wait(); });
}

void RankGroup::scatter_sum(at::Tensor own, at::Tensor all) {
  guarded([&] { backend_->_reduce_scatter_base(own, all)->wait(); });
}

void RankGroup::pass_on(at::Tensor sent, at::Tensor received) {
  const auto next = static_cast<int>((share_.rank + 1) % share_.ranks);
  const auto before = static_cast<int>((share_.rank + share_.ranks - 1) % share_.ranks);
  std::vector<at::Tensor> out{std::move(sent)};
  std::vector<at::Tensor> in{std::move(received)};
  guarded([&] {
    // Sending first would deadlock two ranks if the backend blocks in send().
    const auto receiving = backend_->recv(in, before, /*tag=*/0);
    const auto sending = backend_->send(out, next, /*tag=*/0);
    sending->wait();
    receiving->wait();
  });
}

std::vector<double> RankGroup::reduced(std::vector<double> own, bool is_sum) {
  return guarded([&] {
    std::vector<at::Tensor> tensors{at::tensor(own, at::kDouble).to(device_)};
    c10d::AllreduceOptions options;
    options.reduceOp = is_sum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
    backend_->allreduce(tensors, options)->wait();
    const at::Tensor host = tensors.front().to(at::kCPU);
    const auto* const values = host.const_data_ptr<double>();
    return std::vector<double>(values, values + host.numel());
  });
}

std::vector<double> RankGroup::gathered(double own) {
  std::vector<double> all(static_cast<std::size_t>(share_.ranks), 0.0);
  all.at(static_cast<std::size_t>(share_.rank)) = own;
  return sums(std::move(all));
}

bool RankGroup::agree_on(const std::string& text) {
  const std::string digest = sha256(std::as_bytes(std::span(text)));
  const at::Tensor own = at::tensor(std::vector<std::int64_t>(digest.begin(), digest.end())).to(device_);
  const at::Tensor first = own.clone();
  broadcast({first});
  return maxima({own.equal(first) ? 0.0 : 1.0}).front() == 0;
}

}  // namespace gpubench
