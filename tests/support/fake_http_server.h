#pragma once
// An HTTP server on the loopback interface that goes wrong on request.

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gpubench::test {

/// What goes wrong with every response, until changed.
struct HttpFaults {
  int status = 0;                              ///< Answer this, e.g. 404, and send no file.
  std::string redirect_to = {};                ///< Answer 302 with this location.
  std::optional<std::size_t> drop_after = {};  ///< Close the connection after so many bytes of a file.
  std::size_t drops = SIZE_MAX;                ///< How often to do so.
  std::size_t missing_bytes = 0;               ///< Serve the file without its last bytes.
  std::size_t extra_bytes = 0;                 ///< Serve the file with more bytes at its end.
  bool flips_last_byte = false;
  bool ignores_range = false;             ///< Answer 200 with the whole file, whatever was asked.
  bool is_endless = false;                ///< Each body goes on until the other side has had enough.
  std::size_t bytes_a_second = SIZE_MAX;  ///< How slowly the file is sent.
  bool shifts_range = false;              ///< Answer 206 from one byte further on than was asked.
};

/// Answers GET and HEAD requests from a thread of its own, one at a time, between construction and
/// destruction. The members may be called from any thread.
class FakeHttpServer {
 public:
  FakeHttpServer();
  ~FakeHttpServer();
  FakeHttpServer(const FakeHttpServer&) = delete;
  FakeHttpServer& operator=(const FakeHttpServer&) = delete;

  /// "http://127.0.0.1:<port>".
  std::string url() const;

  /// Serves `bytes` as `/<name>`; every other path is 404.
  void serve(const std::string& name, std::string bytes);
  void misbehave(HttpFaults faults);

  /// The Range header of each request so far, empty where there was none.
  std::vector<std::string> ranges_asked() const;
  /// Bytes of files sent so far.
  std::size_t bytes_sent() const;

 private:
  struct Response {
    std::string head;
    std::string body;
    std::size_t body_bytes_to_send = 0;
    HttpFaults faults;
  };

  void run();
  void answer(int connection);
  /// Sends little by little, or without end; ends early where the server is to end.
  void send_slowly(int connection, const Response& response);
  void send_endlessly(int connection);
  bool is_ending() const;
  Response respond(const std::string& request);
  Response answer_to(const std::string& request);
  Response respond_with(std::string file, const std::string& range);

  int listener_ = -1;
  int wake_up_[2] = {-1, -1};  ///< A pipe; written to when the thread is to end.
  int port_ = 0;
  mutable std::mutex mutex_;  ///< Guards what follows.
  std::map<std::string, std::string> files_;
  HttpFaults faults_;
  std::vector<std::string> ranges_asked_;
  std::size_t bytes_sent_ = 0;
  std::thread thread_;
};

}  // namespace gpubench::test
