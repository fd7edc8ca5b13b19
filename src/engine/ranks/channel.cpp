#include "engine/ranks/process_group.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "device/host/network.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kChunk = 16 * 1024;
constexpr std::size_t kMaxLine = std::size_t{64} << 20;
constexpr Seconds kSendTimeout{30};
constexpr Seconds kMaxSilence{10};

void set_option(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

/// Lets the connection fail after kMaxSilence; the system's default is about 15 minutes.
void limit_silence(int socket) {
  constexpr int kSeconds = static_cast<int>(kMaxSilence.value);
  constexpr int kProbes = 3;
  constexpr int kInterval = kSeconds / (kProbes + 2);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kSeconds - kProbes * kInterval);
#endif
#ifdef TCP_KEEPINTVL
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kInterval);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
#endif
#ifdef TCP_USER_TIMEOUT
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * kSeconds);
#endif
}

/// Connects without blocking, so that the deadline holds even if a firewall drops the packets.
FileDescriptor try_to_connect(const addrinfo& target, const Deadline& deadline) {
  FileDescriptor socket = moved_up(::socket(target.ai_family, SOCK_STREAM, 0));
  if (!socket.is_open()) return socket;
  fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) | O_NONBLOCK);
  if (connect(socket.get(), target.ai_addr, target.ai_addrlen) == 0) return socket;
  int error = errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    error = ETIMEDOUT;
    if (is_ready(socket.get(), POLLOUT, deadline))
      getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0) return socket;
  errno = error;
  return FileDescriptor();
}

}  // namespace

Channel::Channel(FileDescriptor socket) : socket_(std::move(socket)) {
  if (!socket_.is_open()) return;
  set_option(socket_.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  limit_silence(socket_.get());
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

std::string Channel::own_address() const {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);
  if (getsockname(socket_.get(), address, &size) != 0 || own.ss_family == AF_UNIX) return {};
  const std::string found = address_text(address, size);
  constexpr std::string_view kMapped = "::ffff:";  // Prefix of IPv4 addresses on a dual-stack socket.
  return found.starts_with(kMapped) ? found.substr(kMapped.size()) : found;
}

void Channel::send(const std::string& line) {
  const std::string text = line + "\n";
  const Deadline deadline(kSendTimeout);
  for (std::size_t done = 0; is_open() && done < text.size();) {
    const ssize_t count = ::send(socket_.get(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!is_ready(socket_.get(), POLLOUT, deadline)) close();
    } else {
      close();
    }
  }
}

std::optional<std::string> Channel::next() {
  std::array<char, kChunk> chunk{};
  while (is_open()) {
    const ssize_t count = read(socket_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count > 0 && lines_.text.size() <= kMaxLine)
      lines_.text.append(chunk.data(), static_cast<std::size_t>(count));
    else
      close();
  }
  return lines_.next();
}

std::optional<std::string> Channel::next(const Deadline& deadline) {
  auto line = next();
  while (!line && is_open() && is_ready(socket_.get(), POLLIN, deadline)) line = next();
  return line;
}

FileDescriptor listen_at(int& port, bool is_local) {
  FileDescriptor socket;
  // With IPv6, the socket also accepts IPv4 connections. Some machines have no IPv6.
  for (const char* const host : {"::", "0.0.0.0"}) {
    const AddressList list = find_addresses(is_local ? "127.0.0.1" : host, port, SOCK_STREAM);
    socket = moved_up(::socket(list->ai_family, SOCK_STREAM, 0));
    if (!socket.is_open()) continue;
    set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (list->ai_family == AF_INET6) set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (bind(socket.get(), list->ai_addr, list->ai_addrlen) == 0 && listen(socket.get(), SOMAXCONN) == 0) {
      sockaddr_in6 own{};  // An IPv4 address has the port at the same offset.
      socklen_t size = sizeof own;
      getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size);
      port = ntohs(own.sin6_port);
      return socket;
    }
    break;
  }
  throw Error(ErrorKind::kUsage,
              "port {}: {}; end the program that uses it, or set another MASTER_PORT for all ranks", port,
              std::strerror(errno));
}

FileDescriptor accept_from(const FileDescriptor& listener, const Deadline& deadline) {
  if (!is_ready(listener.get(), POLLIN, deadline)) return FileDescriptor();
  return moved_up(accept(listener.get(), nullptr, nullptr));
}

FileDescriptor connect_to(const std::string& host, int port, const Deadline& deadline) {
  constexpr std::chrono::milliseconds kRetryInterval{100};
  const AddressList list = find_addresses(host, port, SOCK_STREAM);
  while (true) {
    for (const addrinfo* target = list.get(); target != nullptr; target = target->ai_next) {
      if (FileDescriptor socket = try_to_connect(*target, deadline); socket.is_open()) return socket;
    }
    if (deadline.is_over()) break;
    std::this_thread::sleep_for(kRetryInterval);
  }
  throw Error(ErrorKind::kUsage,
              "rank 0 at {} port {}: {}; check that it runs and that no firewall blocks the port", host, port,
              std::strerror(errno));
}

SocketPair connected_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
    throw Error(ErrorKind::kUsage, "cannot create sockets: {}; close other programs", std::strerror(errno));
  return {moved_up(ends[0]), moved_up(ends[1])};
}

}  // namespace gpubench
