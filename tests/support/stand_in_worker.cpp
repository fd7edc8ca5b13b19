// Fake worker without LibTorch, for tests of the supervisor, which starts it through GPUBENCH_WORKER_PREFIX.
// It speaks the real protocol with made-up figures and can fail in all the ways of a worker.
//
//   stand_in_worker [--fault HOW] [--only MODEL:BATCH or OPERATION] [--rank N] [--epoch-ms N] ignored...
//
// Without --only, all cases fail, and without --rank all ranks. Faults happen after the first epoch;
// "stop-at-start" happens before the first message.

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <thread>

#include "device/host/host_process.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/isolation/worker.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"

namespace gpubench::test {
namespace {

constexpr int kReplies = 3;

struct Behaviour {
  std::string fault;
  std::string only;
  std::string rank;
  std::chrono::milliseconds epoch{1};
};

void send_text(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(kReplies, text.data() + done, text.size() - done);
    if (count <= 0) std::_Exit(1);
    done += static_cast<std::size_t>(count);
  }
}

void send(const Reply& reply) { send_text(to_line(reply) + "\n"); }

// --- Facts.

Environment made_up_environment() {
  Environment environment;
  environment.host = "stand-in";
  environment.os = "made up";
  environment.kernel = "made up";
  environment.cpu = "made up";
  environment.physical_cores = std::int64_t{2};
  environment.logical_cores = 4;
  environment.available_cores = 4;
  environment.memory = Bytes{std::int64_t{1} << 33};
  environment.threads = 2;
  environment.libtorch_version = "none";
  environment.libtorch_build = "none";
  environment.allocator = "system";
  environment.devices = {{"cpu", "made up", Bytes{std::int64_t{1} << 33}, missing("a CPU has no driver"),
                          std::string("made up"), NamedValues{{"fp32", 1e12}}}};
  return environment;
}

void answer(const FactsRequest& request) {
  EngineFacts facts;
  facts.devices.assign(request.devices.size(), "cpu");
  facts.environment = made_up_environment();
  send(facts);
}

// --- Cases.

/// Returns a row with made-up facts, before its first epoch.
CaseRecord begin(const Case& c, const Dataset& dataset) {
  CaseRecord record = describe(c, make_facts(dataset));
  record.started_at = utc_timestamp_milliseconds();
  record.optimizer = "made up";
  record.parameters = std::int64_t{1000};
  record.forward_macs = std::int64_t{1000};
  record.setup = Seconds{0.25};
  record.timeline = {{"build", Seconds{0}, Seconds{0.25}}};
  record.training = {{"loss", {}}, {"accuracy", {}}};
  record.peak_device = missing("the fake worker has no tensors");
  return record;
}

EpochRecord made_up_epoch(const CaseRecord& record) {
  const std::size_t count = record.epoch_seconds.size() + 1;
  const auto number = static_cast<double>(count);
  EpochRecord epoch;
  epoch.phases = {{"epoch " + std::to_string(count), Seconds{number}, Seconds{0.5}}};
  epoch.duration = Seconds{0.5 + 0.001 * number};
  epoch.training = {{"loss", 1 / number}, {"accuracy", 1 - 0.5 / number}};
  epoch.steps = record.steps_per_epoch;
  epoch.samples = record.train_samples;
  return epoch;
}

bool has_all_epochs(const CaseRecord& record) {
  return record.epoch_seconds.size() == static_cast<std::size_t>(record.epochs);
}

void conclude(CaseRecord& record, StopRequest request) {
  record.initial_loss = 2.3;
  record.parameter_checksum = std::string(64, 'e');
  const bool is_cut = request == StopRequest::kInterrupt && !has_all_epochs(record);
  record.status = is_cut ? RowStatus::kInterrupted : RowStatus::kOk;
  record.status_reason = is_cut ? "interrupted between two epochs" : "";
  record.stopped_by = std::string(is_cut ? "interrupted" : "epochs");
  record.validation = record.test = missing("the fake worker does not evaluate");
}

Pilot made_up_pilot() {
  Pilot pilot;
  pilot.setup = Seconds{0.125};
  pilot.first_step = Seconds{0.125};
  pilot.step = Seconds{0.03125};
  pilot.duration = Seconds{0.3125};
  pilot.steps = 3;
  pilot.peak_device = missing("the fake worker has no tensors");
  return pilot;
}

// --- Faults.

[[noreturn]] void hang() {
  while (true) pause();
}

[[noreturn]] void die_by(int signal) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::fputs("the fake worker is about to fail\n", stderr);
  std::signal(signal, SIG_DFL);
  raise(signal);
  std::_Exit(1);
}

void exhaust_memory(const RowRequest& request) {
  limit_memory(request.memory_limit.value_or(Bytes{std::int64_t{1} << 26}));
  while (mmap(nullptr, 1 << 20, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) continue;
}

[[noreturn]] void reply_without_end() {
  const std::string text(1 << 16, 'x');
  while (write(kReplies, text.data(), text.size()) >= 0) continue;
  hang();
}

void chatter() {
  for (int line = 0; line < 100000; ++line) std::fprintf(stderr, "noise %d\n", line);
}

using Faults = std::map<std::string, std::function<void()>>;

/// Returns the faults of all workloads. They end the process or send an invalid reply; after those that
/// return, the row has no reply.
Faults common_faults() {
  return {{"segv", [] { die_by(SIGSEGV); }},
          {"abort", [] { die_by(SIGABRT); }},
          {"kill9", [] { die_by(SIGKILL); }},
          {"hang", hang},
          {"stop", [] { raise(SIGSTOP), hang(); }},
          {"exit0", [] { std::_Exit(0); }},
          {"exit7", [] { std::_Exit(7); }},
          {"out-of-memory", [] { std::fputs("gpubench: out of memory\n", stderr), std::_Exit(2); }},
          {"garbage", [] { send_text("\x1b[31mthis is \xff no message\n"), hang(); }},
          {"endless-line", reply_without_end},
          {"close-replies", [] { close(kReplies), std::_Exit(0); }},
          {"chatter", [] { chatter(), die_by(SIGABRT); }},
          {"wrong-answer", [] { send(Pilot{}); }},
          {"error", [] {
             send(ErrorReply{ErrorKind::kInternal, "injected fault"});
           }}};
}

void misbehave(const std::string& how, const RowRequest& request, CaseRecord record) {
  Faults faults = common_faults();
  faults["empty-epoch"] = [] { send(EpochRecord{}), hang(); };
  faults["bad-alloc"] = [&] {  // Uncaught, as from a library that runs out of memory.
    exhaust_memory(request);
    throw std::bad_alloc();
  };
  faults["segv-for-want"] = [&] { exhaust_memory(request), raise(SIGSEGV); };
  faults["oom"] = [&] {
    record.status = RowStatus::kOutOfMemory;
    record.status_reason = "injected fault: out of memory";
    record.requested = Bytes{1 << 30};
    record.available = Bytes{1 << 20};
    send(RowReply{record});
  };
  faults["lost"] = [&] {
    record.status = RowStatus::kError;
    record.status_reason = "lost connection to another rank: injected fault";
    send(RowReply{record, true});
  };
  faults.at(how)();
}

/// Returns whether to request a trial of modes, whose process dies ("trial-segv").
bool needs_trial(const Behaviour& behaviour, const RowRequest& request) {
  return behaviour.fault == "trial-segv" && !request.tried.is_whole();
}

/// Returns whether the row waits for a stop request ("await-stop"), which is not a fault.
bool awaits_stop(const Behaviour& behaviour) { return behaviour.fault == "await-stop"; }

void await_stop(const Inbox& inbox) {
  while (inbox.stop_request() == StopRequest::kNone)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

bool fails_in(const Behaviour& behaviour, const std::string& row) {
  return !behaviour.fault.empty() && (behaviour.only.empty() || behaviour.only == row);
}

bool fails_on_rank(const Behaviour& behaviour, const std::optional<RankContext>& context) {
  return behaviour.rank.empty() || (context && std::to_string(context->rank) == behaviour.rank);
}

void answer(const RowRequest& request, const Case& c, const Behaviour& behaviour, const Inbox& inbox) {
  const MappedDataset mapped(request.dataset, data_spec(c));
  if (request.pilot_limit) return send(made_up_pilot());
  if (request.tries_modes) die_by(SIGSEGV);
  if (needs_trial(behaviour, request)) return send(ModesReply{});
  CaseRecord record = begin(c, mapped.dataset);
  if (request.tried.layout) record.layout_note = request.tried.layout->note;
  send(OpenedReply{record});
  do {
    std::this_thread::sleep_for(behaviour.epoch);
    const EpochRecord epoch = made_up_epoch(record);
    add_epoch(record, epoch);
    send(epoch);
    if (!fails_in(behaviour, c.model->name + ":" + std::to_string(c.asked.batch_size))) continue;
    if (!fails_on_rank(behaviour, request.rank_context)) continue;
    if (behaviour.fault == "trial-segv") continue;
    if (!awaits_stop(behaviour)) return misbehave(behaviour.fault, request, record);
    await_stop(inbox);
  } while (!has_all_epochs(record) && inbox.stop_request() == StopRequest::kNone);
  conclude(record, inbox.stop_request());
  send(RowReply{record});
}

// --- Operations.

void answer(const RowRequest& request, const OpWork& work, const Behaviour& behaviour, const Inbox& inbox) {
  std::fprintf(stderr, "%s, repeat %d\n", work.asked.op.c_str(), static_cast<int>(work.asked.repeat));
  std::this_thread::sleep_for(behaviour.epoch);
  if (fails_in(behaviour, work.asked.op) && fails_on_rank(behaviour, request.rank_context)) {
    if (!awaits_stop(behaviour)) return common_faults().at(behaviour.fault)();
    await_stop(inbox);
  }
  OpRecord record = describe(work);
  record.status = RowStatus::kOk;
  record.calls_per_sample = 1;
  record.call_seconds = {0.5, 0.25, 0.375};
  // Identifies the worker.
  record.warnings = {{KindName("made-up"), {}, "by " + std::to_string(getpid())}};
  send(RowReply{record});
}

// --- Command line and requests.

Behaviour behaviour_from(const std::vector<std::string>& words) {
  Behaviour behaviour;
  for (std::size_t i = 0; i + 1 < words.size() && words[i].starts_with("--"); i += 2) {
    if (words[i] == "--fault") behaviour.fault = words[i + 1];
    if (words[i] == "--only") behaviour.only = words[i + 1];
    if (words[i] == "--rank") behaviour.rank = words[i + 1];
    if (words[i] == "--epoch-ms") behaviour.epoch = std::chrono::milliseconds(std::stoi(words[i + 1]));
  }
  return behaviour;
}

void serve(const Behaviour& behaviour) {
  if (behaviour.fault == "stop-at-start") raise(SIGSTOP);
  Inbox inbox;
  while (const auto line = inbox.next()) {
    const Request request = request_from(*line);
    if (const auto* facts = std::get_if<FactsRequest>(&request)) answer(*facts);
    const auto* const row = std::get_if<RowRequest>(&request);
    if (row == nullptr) continue;
    const Work work = work_from_json(row->work, model_catalog(), datasets());
    std::visit([&](const auto& wanted) { answer(*row, wanted, behaviour, inbox); }, work);
  }
}

}  // namespace
}  // namespace gpubench::test

int main(int argc, char** argv) {
  gpubench::test::serve(gpubench::test::behaviour_from({argv + 1, argv + argc}));
  return 0;
}
