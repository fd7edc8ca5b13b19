#pragma once
// A connection between the supervisor of rank 0 and that of another rank: lines, in either direction.

#include <deque>
#include <optional>
#include <string>

#include "gpubench/core/clock.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

/// Used by one thread. A peer whose machine does not answer any more counts as gone after about ten seconds.
class Channel {
 public:
  /// Takes a connected socket over.
  explicit Channel(FileDescriptor socket);

  int descriptor() const { return socket_.get(); }
  /// False once the peer is gone; lines that came before may still be there.
  bool is_open() const { return socket_.is_open(); }
  void close() { socket_.reset(); }

  /// The address of this end, by which the peer has reached it; empty where the connection has none.
  std::string own_address() const;

  /// Sends a line; a peer that takes none for half a minute is gone.
  void send(const std::string& line);

  /// The next whole line that has come; nothing where none has. Does not wait.
  std::optional<std::string> next();
  /// The same, but waits until `deadline`, or until the peer is gone.
  std::optional<std::string> next(const Deadline& deadline);

 private:
  void drain();

  FileDescriptor socket_;
  std::string text_;
  std::size_t searched_ = 0;
};

/// From where a socket may be reached.
enum class Reach { kMachine, kNetwork };

/// A socket that listens, closed in programs that are executed. `port` 0 becomes one that is free. Throws a
/// usage Error where the port is taken.
FileDescriptor listen_at(int& port, Reach reach = Reach::kNetwork);

/// The next connection; none is open where none comes in time.
FileDescriptor accept_from(const FileDescriptor& listener, const Deadline& deadline);

/// Tries until somebody listens there. Throws a usage Error where nobody does before `deadline`.
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
