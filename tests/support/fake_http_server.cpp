#include "support/fake_http_server.h"
#include "gpubench/core/error.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace gpubench::test {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";

void require(bool is_done) {
  if (!is_done) throw std::runtime_error("cannot start the HTTP server of the tests");
}

sockaddr_in loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Returns the port that the system chose for `socket`.
int find_port(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  require(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

std::string receive_head(int connection) {
  std::string head;
  std::array<char, 4096> buffer{};
  while (head.find(kEndOfHead) == std::string::npos) {
    const ssize_t size = recv(connection, buffer.data(), buffer.size(), 0);
    if (size <= 0) break;
    head.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return head;
}

/// Sends as much as the client accepts. Returns whether all was sent.
bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

/// Returns the text between `before` and `after`; empty if `before` does not occur.
std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t found = text.find(before);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

std::string format_head(int status, std::size_t body_size, const std::string& more = "") {
  return "HTTP/1.1 " + std::to_string(status) +
         " -\r\nConnection: close\r\nContent-Length: " + std::to_string(body_size) + "\r\n" + more + "\r\n";
}

}  // namespace

FakeHttpServer::FakeHttpServer() {
  setenv("no_proxy", "127.0.0.1", 1);  // A proxy could not reach this server.
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback();
  require(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  require(listen(listener_, SOMAXCONN) == 0 && pipe(wake_up_) == 0);
  port_ = find_port(listener_);
  thread_ = std::thread([this] { run(); });
}

FakeHttpServer::~FakeHttpServer() {
  close(wake_up_[1]);
  thread_.join();
  close(wake_up_[0]);
  close(listener_);
}

std::string FakeHttpServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void FakeHttpServer::serve(const std::string& name, std::string bytes) {
  const std::lock_guard lock(mutex_);
  files_[name] = std::move(bytes);
}

void FakeHttpServer::misbehave(HttpFaults faults) {
  const std::lock_guard lock(mutex_);
  faults_ = std::move(faults);
}

std::vector<std::string> FakeHttpServer::ranges_asked() const {
  const std::lock_guard lock(mutex_);
  return ranges_asked_;
}

std::size_t FakeHttpServer::bytes_sent() const {
  const std::lock_guard lock(mutex_);
  return bytes_sent_;
}

void FakeHttpServer::run() {
  for (;;) {
    std::array<pollfd, 2> waiting = {{{listener_, POLLIN, 0}, {wake_up_[0], POLLIN, 0}}};
    poll(waiting.data(), waiting.size(), -1);
    if (waiting[1].revents != 0) return;
    if (waiting[0].revents != 0) answer(accept(listener_, nullptr, nullptr));
  }
}

void FakeHttpServer::answer(int connection) {
  const timeval patience{5, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const Response response = respond(receive_head(connection));
  send_all(connection, response.head);
  if (response.faults.is_endless) {
    send_endlessly(connection);
  } else {
    send_slowly(connection, response);
  }
  close(connection);
}

bool FakeHttpServer::is_ending() const {
  pollfd end{wake_up_[0], POLLIN, 0};
  return poll(&end, 1, 0) > 0;
}

void FakeHttpServer::send_endlessly(int connection) {
  const std::string chunk = "1000\r\n" + std::string(0x1000, '+') + "\r\n";
  while (!is_ending() && send_all(connection, chunk)) continue;
}

void FakeHttpServer::send_slowly(int connection, const Response& response) {
  std::string_view rest = std::string_view(response.body).substr(0, response.body_bytes_to_send);
  while (!rest.empty() && !is_ending()) {
    const std::size_t part = std::min(rest.size(), response.faults.bytes_a_second);
    if (!send_all(connection, rest.substr(0, part))) return;
    rest.remove_prefix(part);
    if (!rest.empty()) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

FakeHttpServer::Response FakeHttpServer::respond(const std::string& request) {
  const std::lock_guard lock(mutex_);
  Response response = answer_to(request);
  response.faults = faults_;
  // Clients read even an unwanted body to its end before the next request.
  const std::size_t fields = response.head.find("Connection: close");
  if (faults_.is_endless) {
    response.head = response.head.substr(0, fields) + "Transfer-Encoding: chunked\r\n" +
                    (faults_.redirect_to.empty() ? "" : "Location: " + faults_.redirect_to + "\r\n") + "\r\n";
  }
  return response;
}

FakeHttpServer::Response FakeHttpServer::answer_to(const std::string& request) {
  ranges_asked_.push_back(between(request, "Range: ", "\r\n"));
  const bool is_head = request.starts_with("HEAD ");
  const auto file = files_.find(between(request, is_head ? "HEAD /" : "GET /", " "));
  if (faults_.status != 0) return {format_head(faults_.status, 0), "", 0, {}};
  if (!faults_.redirect_to.empty()) {
    return {format_head(302, 0, "Location: " + faults_.redirect_to + "\r\n"), "", 0, {}};
  }
  if (file == files_.end()) return {format_head(404, 0), "", 0, {}};
  if (is_head) return {format_head(200, file->second.size()), "", 0, {}};
  return respond_with(file->second, ranges_asked_.back());
}

FakeHttpServer::Response FakeHttpServer::respond_with(std::string file, const std::string& range) {
  file.resize(file.size() - faults_.missing_bytes);
  file.append(faults_.extra_bytes, '+');
  if (faults_.flips_last_byte) file.back() = static_cast<char>(~file.back());

  Response response;
  const bool is_partial = !range.empty() && !faults_.ignores_range;
  std::size_t start = is_partial ? std::stoul(between(range, "bytes=", "-")) : 0;
  if (is_partial && start >= file.size()) return {format_head(416, 0), "", 0, {}};
  if (is_partial && faults_.shifts_range) ++start;
  response.body = file.substr(start);
  const std::string content_range = "Content-Range: bytes " + std::to_string(start) + "-" +
                                    std::to_string(file.size() - 1) + "/" + std::to_string(file.size()) +
                                    "\r\n";
  response.head = format_head(is_partial ? 206 : 200, response.body.size(), is_partial ? content_range : "");
  response.body_bytes_to_send = response.body.size();
  if (faults_.drop_after && faults_.drops > 0) {
    --faults_.drops;
    response.body_bytes_to_send = std::min(response.body.size(), *faults_.drop_after);
  }
  bytes_sent_ += response.body_bytes_to_send;
  return response;
}

}  // namespace gpubench::test
