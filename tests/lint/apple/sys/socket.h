#pragma once
// Lengths of messages are half as wide as on Linux, and sockets are not made with flags.

#define cmsghdr linux_cmsghdr
#define msghdr linux_msghdr
#define recvmsg linux_recvmsg
#define sendmsg linux_sendmsg
#include_next <sys/socket.h>
#undef cmsghdr
#undef msghdr
#undef recvmsg
#undef sendmsg
#undef CMSG_DATA
#undef CMSG_FIRSTHDR
#undef CMSG_LEN
#undef CMSG_SPACE
#undef SOCK_CLOEXEC
#undef SOCK_NONBLOCK
#define SOCK_CLOEXEC not_on_macos
#define SOCK_NONBLOCK not_on_macos

struct cmsghdr {
  socklen_t cmsg_len;
  int cmsg_level;
  int cmsg_type;
};
struct msghdr {
  void* msg_name;
  socklen_t msg_namelen;
  iovec* msg_iov;
  int msg_iovlen;
  void* msg_control;
  socklen_t msg_controllen;
  int msg_flags;
};
#define CMSG_LEN(size) (sizeof(cmsghdr) + (size))
#define CMSG_SPACE(size) (sizeof(cmsghdr) + (((size) + 3) & ~std::size_t{3}))
#define CMSG_DATA(part) (reinterpret_cast<unsigned char*>(const_cast<cmsghdr*>(part)) + sizeof(cmsghdr))
#define CMSG_FIRSTHDR(message) \
  ((message)->msg_controllen >= sizeof(cmsghdr) ? static_cast<cmsghdr*>((message)->msg_control) : nullptr)

extern "C" {
ssize_t recvmsg(int, msghdr*, int);
ssize_t sendmsg(int, const msghdr*, int);
}
