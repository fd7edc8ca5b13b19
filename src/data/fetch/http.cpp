#include "data/fetch/http.h"

#include <array>
#include <charconv>
#include <exception>
#include <memory>
#include <string_view>

#include <curl/curl.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr long kPatienceSeconds = 10;
constexpr long kSlowestBytesPerSecond = 1'024;
constexpr long kMaxRedirections = 5;

/// What the callbacks of one transfer share. They are called by C code, which no exception may cross.
struct Transfer {
  const HttpSink& sink;
  CURL* curl;
  HttpResponse response;
  bool is_stopped = false;
  std::exception_ptr failure;
};

std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &transfer.response.status);
  try {
    transfer.is_stopped = !transfer.sink(transfer.response, std::as_bytes(std::span(bytes, size)));
  } catch (...) {
    transfer.failure = std::current_exception();
  }
  return transfer.is_stopped || transfer.failure ? 0 : size;
}

/// Start of "Content-Range: bytes 4096-8191/8192".
std::optional<Bytes> parse_range_start(std::string_view line) {
  const std::string_view prefix = "content-range: bytes ";
  const bool is_meant =
      line.size() > prefix.size() && curl_strnequal(line.data(), prefix.data(), prefix.size());
  if (!is_meant) return {};
  Bytes start;
  const auto parsed = std::from_chars(line.data() + prefix.size(), line.data() + line.size(), start.value);
  if (parsed.ec != std::errc()) return {};
  return start;
}

std::size_t on_header(char* bytes, std::size_t, std::size_t size, void* context) {
  auto& response = static_cast<Transfer*>(context)->response;
  const std::string_view line(bytes, size);
  if (const auto start = parse_range_start(line)) response.range_start = start;
  return size;
}

/// libcurl wants to be initialised once, before its first use.
void initialise_libcurl() {
  static const CURLcode status = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (status != CURLE_OK) throw Error(ErrorKind::kInternal, "libcurl cannot be initialised");
}

void restrict_protocols(CURL* curl) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, long{CURLPROTO_HTTP | CURLPROTO_HTTPS});
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, long{CURLPROTO_HTTP | CURLPROTO_HTTPS});
#endif
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kMaxRedirections);
}

void limit_patience(CURL* curl) {
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);  // libcurl's alarm signal would hit any thread
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kPatienceSeconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kPatienceSeconds);
}

void connect_callbacks(CURL* curl, Transfer& transfer) {
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
}

HttpEnd classify(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return HttpEnd::kWhole;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return HttpEnd::kBrokenOff;
    default:
      return HttpEnd::kFailed;
  }
}

}  // namespace

HttpOutcome http_get(const std::string& url, Bytes offset, const HttpSink& sink) {
  initialise_libcurl();
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
  if (curl == nullptr) throw Error(ErrorKind::kInternal, "libcurl cannot start a transfer");
  Transfer transfer{sink, curl.get(), {}, false, nullptr};
  std::array<char, CURL_ERROR_SIZE> words{};
  const std::string range = std::to_string(offset.value) + "-";

  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, "gpubench");
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, words.data());
  // Not CURLOPT_RESUME_FROM: it fails where the server sends the whole, which here is an answer like another.
  if (offset > Bytes{0}) curl_easy_setopt(curl.get(), CURLOPT_RANGE, range.c_str());
  restrict_protocols(curl.get());
  limit_patience(curl.get());
  connect_callbacks(curl.get(), transfer);

  const CURLcode code = curl_easy_perform(curl.get());
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &transfer.response.status);
  if (code == CURLE_OK) return {HttpEnd::kWhole, transfer.response, ""};
  if (transfer.is_stopped) return {HttpEnd::kBrokenOff, transfer.response, ""};
  return {classify(code), transfer.response, words[0] != '\0' ? words.data() : curl_easy_strerror(code)};
}

}  // namespace gpubench
