#pragma once
// HTTP server on the loopback interface with injectable faults.

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gpubench::test {

/// Faults of all responses, until changed.
struct HttpFaults {
  int status = 0;                              ///< Status of all responses, e.g. 404; 0: serve the file.
  std::string redirect_to = {};                ///< Location of a 302 response.
  std::optional<std::size_t> drop_after = {};  ///< Bytes of a file after which the connection is closed.
  std::size_t drops = SIZE_MAX;                ///< Number of connections closed by `drop_after`.
  std::size_t missing_bytes = 0;               ///< Number of bytes missing at the end of the file.
  std::size_t extra_bytes = 0;                 ///< Number of bytes added at the end of the file.
  bool flips_last_byte = false;
  bool ignores_range = false;  ///< Respond with 200 and the whole file to range requests.
  bool is_endless = false;     ///< Send a body without end, until the client closes the connection.
  std::size_t bytes_a_second = SIZE_MAX;  ///< Maximum rate.
  bool shifts_range = false;              ///< Start a 206 response one byte late.
};

/// Serves GET and HEAD requests in its own thread, one at a time, until destroyed. Thread-safe.
class FakeHttpServer {
 public:
  FakeHttpServer();
  ~FakeHttpServer();
  FakeHttpServer(const FakeHttpServer&) = delete;
  FakeHttpServer& operator=(const FakeHttpServer&) = delete;

  /// "http://127.0.0.1:<port>".
  std::string url() const;

  /// Serves `bytes` as `/<name>`. Other paths give 404.
  void serve(const std::string& name, std::string bytes);
  void misbehave(HttpFaults faults);

  /// Returns the Range header of each request so far; empty for requests without one.
  std::vector<std::string> ranges_asked() const;
  /// Returns the number of bytes of files sent so far.
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
  /// Sends a body slowly, or without end; returns early when the server is destroyed.
  void send_slowly(int connection, const Response& response);
  void send_endlessly(int connection);
  bool is_ending() const;
  Response respond(const std::string& request);
  Response answer_to(const std::string& request);
  Response respond_with(std::string file, const std::string& range);

  int listener_ = -1;
  int wake_up_[2] = {-1, -1};  ///< Pipe that ends the thread when written to.
  int port_ = 0;
  mutable std::mutex mutex_;  ///< Guards the members below.
  std::map<std::string, std::string> files_;
  HttpFaults faults_;
  std::vector<std::string> ranges_asked_;
  std::size_t bytes_sent_ = 0;
  std::thread thread_;
};

}  // namespace gpubench::test
