// Preloaded library (LD_PRELOAD) that makes the N-th call of a glibc function fail. Environment variables:
//
//   GPUBENCH_FAULT=NAME:N:WHAT   Make the N-th call of NAME fail with errno WHAT, or process half of its
//                                bytes if WHAT is "short"; "N+" applies to all calls from the N-th on
//   GPUBENCH_FAULT_IN=ROLE       Affected processes: "supervisor" or "worker" (default: all)
//   GPUBENCH_FAULT_TALLY=FILE    File for counters: an int64 for each name of faults.def, and one for the
//                                faults; must have that size
//   GPUBENCH_FAULT_LOG=FILE      Log of all changes of files, in order and with the bytes; see disk.h
//
// It does not allocate memory, nor call functions that it replaces before it has found the originals.

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// glibc's own names of the allocation functions, for libraries that replace them.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum Name {
#define GPUBENCH_FAULT_NAME(name) k_##name,
#include "faults.def"
#undef GPUBENCH_FAULT_NAME
  kNames
};

constexpr const char* kTexts[] = {
#define GPUBENCH_FAULT_NAME(name) #name,
#include "faults.def"
#undef GPUBENCH_FAULT_NAME
};

using Counter = std::atomic<std::int64_t>;

/// The calls that fail.
struct Plan {
  bool is_armed = false;
  int name = -1;
  std::int64_t first = 0;
  bool is_lasting = false;
  bool is_short = false;
  int error = 0;
  Counter* tally = nullptr;
  int log = -1;
};

// Initialized before any constructor runs.
constinit Plan plan;
constinit Counter calls = 0;

/// Counts a call. Returns true and sets errno if it must fail.
bool strikes(Name name) {
  if (!plan.is_armed) return false;
  if (plan.tally != nullptr) plan.tally[name].fetch_add(1, std::memory_order_relaxed);
  if (name != plan.name) return false;
  const std::int64_t number = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number != plan.first && !(plan.is_lasting && number > plan.first)) return false;
  if (plan.tally != nullptr) plan.tally[kNames].fetch_add(1, std::memory_order_relaxed);
  errno = plan.error;
  return true;
}

/// Like strikes() for allocations. Skips calls of libcrypto, which crashes without memory at its first use:
/// the program cannot prevent that, so the next call fails.
__attribute__((noinline)) bool strikes_malloc(const void* caller) {
  const bool is_next = plan.name == k_malloc && calls.load(std::memory_order_relaxed) + 1 == plan.first;
  Dl_info library{};
  if (is_next && dladdr(caller, &library) != 0 && strstr(library.dli_fname, "libcrypto") != nullptr)
    ++plan.first;
  return strikes(k_malloc);
}

/// Returns the size of a short read or write.
std::size_t halve(std::size_t size) { return size > 1 ? size / 2 : size; }

/// Writes an entry to the log in one call, so that threads do not mix their entries.
void note(const char* line, const void* bytes = nullptr, std::size_t size = 0) {
  const iovec parts[] = {{const_cast<char*>(line), strlen(line)}, {const_cast<void*>(bytes), size}};
  syscall(SYS_writev, plan.log, parts, bytes == nullptr ? 1 : 2);
}

void note_path(const char* what, long number, const char* path) {
  char line[8400];
  snprintf(line, sizeof(line), "%s %ld %s\n", what, number, path);
  note(line);
}

void note_numbers(const char* what, long first, long second) {
  char line[100];
  snprintf(line, sizeof(line), "%s %ld %ld\n", what, first, second);
  note(line);
}

struct PathPair {
  char text[8300];
};

/// Concatenates two paths.
PathPair join(const char* from, const char* to) {
  PathPair paths;
  snprintf(paths.text, sizeof(paths.text), "%s%s", from, to);
  return paths;
}

void note_write(int file, const void* bytes, std::size_t size) {
  char line[100];
  snprintf(line, sizeof(line), "write %d %zu\n", file, size);
  note(line, bytes, size);
}

/// Logs opened files that may change, and folders, which are opened to be synced.
void note_open(int file, const char* path, int flags) {
  if (plan.log >= 0 && file >= 0 && (flags & (O_WRONLY | O_RDWR | O_DIRECTORY)) != 0)
    note_path("open", file, path);
}

/// Returns the original function.
template <class Function>
Function* next(Function* /*replaced*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define GPUBENCH_NEXT(name)                         \
  (*[] {                                            \
    static const auto found = next(&::name, #name); \
    return found;                                   \
  }())

// --- The environment.

bool names_worker(const char* words, ssize_t size) {
  const char* const end = words + size;
  const char* const base = strrchr(words, '/');
  if (strcmp(base != nullptr ? base + 1 : words, "stand_in_worker") == 0) return true;
  const char* const second = words + strlen(words) + 1;
  return second < end && strcmp(second, "worker") == 0;
}

bool is_worker() {
  static char words[4096];
  const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY));
  const ssize_t size = syscall(SYS_read, file, words, sizeof(words) - 1);
  syscall(SYS_close, file);
  return size > 0 && names_worker(words, size);
}

bool is_affected() {
  const char* const role = getenv("GPUBENCH_FAULT_IN");
  if (role == nullptr) return true;
  return strcmp(role, is_worker() ? "worker" : "supervisor") == 0;
}

void read_fault(const char* text) {
  for (int name = 0; name < kNames; ++name) {
    const std::size_t length = strlen(kTexts[name]);
    if (strncmp(text, kTexts[name], length) == 0 && text[length] == ':') {
      plan.name = name;
      text += length + 1;
      break;
    }
  }
  char* rest = nullptr;
  plan.first = strtoll(text, &rest, 10);
  plan.is_lasting = *rest == '+';
  const char* const what = strchr(rest, ':');
  plan.is_short = what != nullptr && strcmp(what, ":short") == 0;
  plan.error = what != nullptr ? atoi(what + 1) : 0;
}

void open_tally(const char* path) {
  const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDWR));
  const long memory =
      syscall(SYS_mmap, nullptr, sizeof(Counter) * (kNames + 1), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  if (memory > 0) plan.tally = reinterpret_cast<Counter*>(memory);
}

void arm() {
  if (!is_affected()) return;
  if (const char* const tally = getenv("GPUBENCH_FAULT_TALLY")) open_tally(tally);
  if (const char* const fault = getenv("GPUBENCH_FAULT")) read_fault(fault);
  if (const char* const log = getenv("GPUBENCH_FAULT_LOG"))
    plan.log =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  plan.is_armed = plan.tally != nullptr || plan.name >= 0;
}

}  // namespace

#define GPUBENCH_FAIL_MALLOC(result) \
  if (strikes_malloc(__builtin_return_address(0))) return result

#define GPUBENCH_FAIL(name, result) \
  if (strikes(k_##name)) return result

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int armed_main(int count, char** words, char** environment) {
  arm();
  return real_main(count, words, environment);
}

extern "C" {

/// Starts the program with faults from main() on, because earlier calls are those of the loader.
int __libc_start_main(Main* main_of_program, int count, char** words, void (*begin)(), void (*end)(),
                      void (*end_of_loader)(), void* stack_end) {
  real_main = main_of_program;
  return GPUBENCH_NEXT(__libc_start_main)(armed_main, count, words, begin, end, end_of_loader, stack_end);
}

// --- Files.

#define GPUBENCH_OPEN(name)                                  \
  int name(const char* path, int flags, ...) {               \
    GPUBENCH_FAIL(open, -1);                                 \
    va_list more;                                            \
    va_start(more, flags);                                   \
    const mode_t mode = va_arg(more, mode_t);                \
    va_end(more);                                            \
    const int file = GPUBENCH_NEXT(name)(path, flags, mode); \
    note_open(file, path, flags);                            \
    return file;                                             \
  }
GPUBENCH_OPEN(open)
GPUBENCH_OPEN(open64)

#define GPUBENCH_OPENAT(name)                                        \
  int name(int folder, const char* path, int flags, ...) {           \
    GPUBENCH_FAIL(open, -1);                                         \
    va_list more;                                                    \
    va_start(more, flags);                                           \
    const mode_t mode = va_arg(more, mode_t);                        \
    va_end(more);                                                    \
    const int file = GPUBENCH_NEXT(name)(folder, path, flags, mode); \
    note_open(file, path, flags);                                    \
    return file;                                                     \
  }
GPUBENCH_OPENAT(openat)
GPUBENCH_OPENAT(openat64)

FILE* fopen(const char* path, const char* mode) {
  GPUBENCH_FAIL(open, nullptr);
  return GPUBENCH_NEXT(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  GPUBENCH_FAIL(open, nullptr);
  return GPUBENCH_NEXT(fopen64)(path, mode);
}
ssize_t read(int file, void* bytes, size_t size) {
  if (strikes(k_read)) {
    if (!plan.is_short) return -1;
    size = halve(size);
  }
  return GPUBENCH_NEXT(read)(file, bytes, size);
}
ssize_t write(int file, const void* bytes, size_t size) {
  if (strikes(k_write)) {
    if (!plan.is_short) return -1;
    size = halve(size);
  }
  const ssize_t count = GPUBENCH_NEXT(write)(file, bytes, size);
  if (plan.log >= 0 && count > 0) note_write(file, bytes, static_cast<size_t>(count));
  return count;
}
ssize_t writev(int file, const iovec* parts, int count) {
  if (strikes(k_write)) {
    if (!plan.is_short) return -1;
    return GPUBENCH_NEXT(write)(file, parts[0].iov_base, halve(parts[0].iov_len));
  }
  return GPUBENCH_NEXT(writev)(file, parts, count);
}
// SQLite uses these.
ssize_t pread64(int file, void* bytes, size_t size, off64_t place) {
  if (strikes(k_read)) {
    if (!plan.is_short) return -1;
    size = halve(size);
  }
  return GPUBENCH_NEXT(pread64)(file, bytes, size, place);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t place) {
  if (strikes(k_write)) {
    if (!plan.is_short) return -1;
    size = halve(size);
  }
  return GPUBENCH_NEXT(pwrite64)(file, bytes, size, place);
}
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* file) {
  if (strikes(k_fwrite)) {
    constexpr int kErrorSeen = 0x20;  // The flag that ferror() returns.
    file->_flags |= kErrorSeen;
    return 0;
  }
  return GPUBENCH_NEXT(fwrite)(bytes, size, count, file);
}
int fflush(FILE* file) {
  GPUBENCH_FAIL(fflush, EOF);
  return GPUBENCH_NEXT(fflush)(file);
}
/// Closes the descriptor even if the call fails, like Linux.
int close(int file) {
  const bool is_struck = strikes(k_close);
  const int error = errno;
  if (plan.log >= 0) note_numbers("close", file, 0);
  const int result = GPUBENCH_NEXT(close)(file);
  if (!is_struck) return result;
  errno = error;
  return -1;
}
int fsync(int file) {
  GPUBENCH_FAIL(fsync, -1);
  const int result = GPUBENCH_NEXT(fsync)(file);
  if (plan.log >= 0 && result == 0) note_numbers("sync", file, 0);
  return result;
}
int fdatasync(int file) {
  GPUBENCH_FAIL(fsync, -1);
  return GPUBENCH_NEXT(fdatasync)(file);
}
int ftruncate(int file, off_t size) noexcept {
  GPUBENCH_FAIL(ftruncate, -1);
  return GPUBENCH_NEXT(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) noexcept {
  GPUBENCH_FAIL(ftruncate, -1);
  return GPUBENCH_NEXT(ftruncate64)(file, size);
}
int rename(const char* from, const char* to) noexcept {
  GPUBENCH_FAIL(rename, -1);
  if (plan.log >= 0) note_path("rename", static_cast<long>(strlen(from)), join(from, to).text);
  return GPUBENCH_NEXT(rename)(from, to);
}
int unlink(const char* path) noexcept {
  GPUBENCH_FAIL(unlink, -1);
  if (plan.log >= 0) note_path("unlink", 0, path);
  return GPUBENCH_NEXT(unlink)(path);
}
int mkdir(const char* path, mode_t mode) noexcept {
  GPUBENCH_FAIL(mkdir, -1);
  return GPUBENCH_NEXT(mkdir)(path, mode);
}
int flock(int file, int operation) noexcept {
  GPUBENCH_FAIL(flock, -1);
  return GPUBENCH_NEXT(flock)(file, operation);
}
int stat(const char* path, struct stat* status) noexcept {
  GPUBENCH_FAIL(stat, -1);
  return GPUBENCH_NEXT(stat)(path, status);
}
int lstat(const char* path, struct stat* status) noexcept {
  GPUBENCH_FAIL(stat, -1);
  return GPUBENCH_NEXT(lstat)(path, status);
}
int fstat(int file, struct stat* status) noexcept {
  GPUBENCH_FAIL(stat, -1);
  return GPUBENCH_NEXT(fstat)(file, status);
}
int stat64(const char* path, struct stat64* status) noexcept {
  GPUBENCH_FAIL(stat, -1);
  return GPUBENCH_NEXT(stat64)(path, status);
}
int fstat64(int file, struct stat64* status) noexcept {
  GPUBENCH_FAIL(stat, -1);
  return GPUBENCH_NEXT(fstat64)(file, status);
}
ssize_t readlink(const char* path, char* text, size_t size) noexcept {
  GPUBENCH_FAIL(readlink, -1);
  return GPUBENCH_NEXT(readlink)(path, text, size);
}

// --- Memory.

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  GPUBENCH_FAIL(mmap, MAP_FAILED);
  return GPUBENCH_NEXT(mmap)(address, size, protection, flags, file, offset);
}
void* mmap64(void* address, size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  GPUBENCH_FAIL(mmap, MAP_FAILED);
  return GPUBENCH_NEXT(mmap64)(address, size, protection, flags, file, offset);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  GPUBENCH_FAIL(memfd, -1);
  return GPUBENCH_NEXT(memfd_create)(name, flags);
}
void* malloc(size_t size) noexcept {
  GPUBENCH_FAIL_MALLOC(nullptr);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  GPUBENCH_FAIL_MALLOC(nullptr);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) noexcept {
  GPUBENCH_FAIL_MALLOC(nullptr);
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  GPUBENCH_FAIL_MALLOC(nullptr);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  GPUBENCH_FAIL_MALLOC(ENOMEM);
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

// --- Processes, threads, pipes.

pid_t fork() noexcept {
  GPUBENCH_FAIL(fork, -1);
  return GPUBENCH_NEXT(fork)();
}
int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  GPUBENCH_FAIL(fork, plan.error);
  return GPUBENCH_NEXT(posix_spawnp)(process, file, actions, attributes, arguments, environment);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
  GPUBENCH_FAIL(thread, plan.error);
  return GPUBENCH_NEXT(pthread_create)(thread, attributes, function, argument);
}
pid_t wait4(pid_t process, int* status, int options, struct rusage* usage) {
  GPUBENCH_FAIL(wait, -1);
  return GPUBENCH_NEXT(wait4)(process, status, options, usage);
}
pid_t waitpid(pid_t process, int* status, int options) {
  GPUBENCH_FAIL(wait, -1);
  return GPUBENCH_NEXT(waitpid)(process, status, options);
}
int pipe(int* ends) noexcept {
  GPUBENCH_FAIL(pipe, -1);
  return GPUBENCH_NEXT(pipe)(ends);
}
int pipe2(int* ends, int flags) noexcept {
  GPUBENCH_FAIL(pipe, -1);
  return GPUBENCH_NEXT(pipe2)(ends, flags);
}
int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  GPUBENCH_FAIL(pipe, -1);
  return GPUBENCH_NEXT(socketpair)(domain, type, protocol, ends);
}
int dup2(int file, int number) noexcept {
  GPUBENCH_FAIL(dup, -1);
  return GPUBENCH_NEXT(dup2)(file, number);
}
int poll(pollfd* files, nfds_t count, int milliseconds) {
  GPUBENCH_FAIL(poll, -1);
  return GPUBENCH_NEXT(poll)(files, count, milliseconds);
}

#define GPUBENCH_FCNTL(name)                                                      \
  int name(int file, int command, ...) {                                          \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) GPUBENCH_FAIL(dup, -1); \
    va_list more;                                                                 \
    va_start(more, command);                                                      \
    void* const argument = va_arg(more, void*);                                   \
    va_end(more);                                                                 \
    return GPUBENCH_NEXT(name)(file, command, argument);                          \
  }
GPUBENCH_FCNTL(fcntl)
GPUBENCH_FCNTL(fcntl64)
}
