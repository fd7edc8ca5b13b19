#include "engine/isolation/fork_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gpubench {
namespace {

constexpr std::size_t kMostDescriptors = 16;  // Of one request: three ends and a dataset are usual.

/// The parts of a message, which point at each other.
struct Message {
  explicit Message(std::size_t count) {
    data = {numbers.data(), count * sizeof(int)};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::array<int, kMostDescriptors> numbers{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  iovec data{};
  msghdr header{};
};

std::vector<FileDescriptor> descriptors_of(msghdr& header) {
  std::vector<FileDescriptor> descriptors;
  const cmsghdr* part = CMSG_FIRSTHDR(&header);
  if (part == nullptr || part->cmsg_type != SCM_RIGHTS) return descriptors;
  const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
    descriptors.emplace_back(descriptor);
  }
  return descriptors;
}

ssize_t receive_message(int socket, Message& message) {
  ssize_t size = -1;
  do {
    size = recvmsg(socket, &message.header, 0);
  } while (size < 0 && errno == EINTR);
  return size;
}

}  // namespace

bool send_request(int socket, const Placements& placements) {
  Message message(placements.size());
  cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(placements.size() * sizeof(int));
  for (std::size_t i = 0; i < placements.size(); ++i) {
    message.numbers.at(i) = placements[i].second;
    std::memcpy(CMSG_DATA(part) + i * sizeof(int), &placements[i].first, sizeof(int));
  }
  return sendmsg(socket, &message.header, MSG_NOSIGNAL) > 0;
}

std::optional<Arrivals> receive_request(int socket) {
  Message message(kMostDescriptors);
  const ssize_t size = receive_message(socket, message);
  std::vector<FileDescriptor> descriptors = descriptors_of(message.header);
  if (size <= 0 || static_cast<std::size_t>(size) != descriptors.size() * sizeof(int)) return std::nullopt;
  Arrivals arrivals;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    arrivals.emplace_back(std::move(descriptors[i]), message.numbers.at(i));
  }
  return arrivals;
}

void send_process(int socket, pid_t process) { send(socket, &process, sizeof(process), MSG_NOSIGNAL); }

pid_t receive_process(int socket, int milliseconds) {
  pollfd ready{socket, POLLIN, 0};
  int count = -1;
  do {
    count = poll(&ready, 1, milliseconds);
  } while (count < 0 && errno == EINTR);
  pid_t process = 0;
  if (count <= 0 || recv(socket, &process, sizeof(process), 0) != sizeof(process)) return 0;
  return process;
}

}  // namespace gpubench
