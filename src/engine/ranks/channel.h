#pragma once
// A connection between the supervisor of rank 0 and that of another rank: lines, in either direction.

#include <optional>
#include <string>
#include <vector>

#include "engine/isolation/child_process.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

/// Used by one thread. The connection closes if the peer's machine does not answer for ten seconds.
class Channel {
 public:
  /// Takes over a connected socket.
  explicit Channel(FileDescriptor socket);

  int descriptor() const { return socket_.get(); }
  /// False once the connection is closed; lines received before may still be read.
  bool is_open() const { return socket_.is_open(); }
  void close() { socket_.reset(); }

  /// Returns the address of this end; empty for a connection without network.
  std::string own_address() const;

  /// Sends a line; closes the connection if the peer does not read for half a minute.
  void send(const std::string& line);

  /// Returns the next whole line that has been received. Does not wait.
  std::optional<std::string> next();
  /// Waits for a line until `deadline`, or until the connection is closed.
  std::optional<std::string> next(const Deadline& deadline);

 private:
  FileDescriptor socket_;
  LineBuffer lines_;
};

/// Machines that may connect to a socket.
enum class Reach { kMachine, kNetwork };

/// Returns a listening socket with close-on-exec. Port 0 is replaced by a free one. Throws a usage Error if
/// the port is taken.
FileDescriptor listen_at(int& port, Reach reach = Reach::kNetwork);

/// Returns the next connection; a closed descriptor after `deadline`.
FileDescriptor accept_from(const FileDescriptor& listener, const Deadline& deadline);

/// Tries to connect until `deadline`, then throws a usage Error.
FileDescriptor connect_to(const std::string& host, int port, const Deadline& deadline);

/// A pair of connected sockets.
struct SocketPair {
  FileDescriptor own;
  FileDescriptor other;
};
SocketPair connected_pair();

/// Waits until one of the descriptors can be read.
void wait_for_any(const std::vector<int>& descriptors, const Deadline& deadline);

}  // namespace gpubench
