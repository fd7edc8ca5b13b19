#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "device/host/host_process.h"
#include "engine/isolation/fork_channel.h"
#include "engine/isolation/worker.h"

namespace gpubench {
namespace {

/// A copy whose parent is whoever takes orphans in. 0 in the copy; its number, or -1, in this process.
pid_t fork_orphan() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  const FileDescriptor source(ends[0]);
  FileDescriptor sink(ends[1]);
  const pid_t middle = fork();
  if (middle == 0) {
    const pid_t copy = fork();
    if (copy == 0) return 0;
    // Here and in the copy: whichever is first, the group is there before anybody can want to end it.
    setpgid(copy, copy);
    const bool is_told = write(sink.get(), &copy, sizeof(copy)) == sizeof(copy);
    _exit(is_told ? 0 : 1);
  }
  sink.reset();
  if (middle > 0) waitpid(middle, nullptr, 0);
  pid_t copy = -1;
  return read(source.get(), &copy, sizeof(copy)) == sizeof(copy) ? copy : -1;
}

/// Gives each descriptor its number. Two steps: a number may still be in use by another of them.
void place(Arrivals arrivals) {
  int last = STDERR_FILENO;
  for (const auto& [descriptor, number] : arrivals) last = std::max(last, number);
  for (auto& [descriptor, number] : arrivals) {
    descriptor.reset(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, last + 1));
  }
  for (const auto& [descriptor, number] : arrivals) dup2(descriptor.get(), number);
}

/// Other threads would be missing in a copy, with all that they hold.
bool can_be_copied() { return thread_count() == 1; }

}  // namespace

bool serve_forks(const std::function<const Engine&()>& load_engine, int socket) {
  load_engine();
  FileDescriptor channel(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  while (auto arrivals = receive_request(channel.get())) {
    const pid_t copy = can_be_copied() ? fork_orphan() : -1;
    if (copy == 0) {
      setpgid(0, 0);
      channel.reset();
      place(std::move(*arrivals));
      return true;
    }
    arrivals.reset();
    send_process(channel.get(), std::max(copy, 0));
  }
  return false;
}

}  // namespace gpubench
