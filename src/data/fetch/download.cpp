#include "data/fetch/download.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include <curl/curl.h>
#include <fmt/format.h>

#include "data/fetch/part_file.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// The final response, after redirections.
struct HttpResponse {
  long status = 0;                   ///< 0 where there was none.
  std::optional<Bytes> range_start;  ///< Of Content-Range.
};

struct HttpOutcome {
  HttpResponse response;
  bool has_failed;     ///< In a way that another try would not change. A response of any status is none.
  std::string detail;  ///< libcurl's words; empty where the response arrived whole or the sink stopped it.
};

/// Takes the next bytes of the body; returns false to stop the transfer. What it throws leaves http_get.
using HttpSink = std::function<bool(const HttpResponse&, std::span<const std::byte>)>;

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

/// Whether the connection was lost or stalled. Otherwise the name was not found, the connection or the
/// protocol refused, ...
bool is_broken_off(CURLcode code) {
  constexpr std::array kCodes = {CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR,
                                 CURLE_RECV_ERROR,   CURLE_HTTP2,       CURLE_OPERATION_TIMEDOUT,
                                 CURLE_HTTP2_STREAM};
  return std::ranges::find(kCodes, code) != kCodes.end();
}

/// Asks for `url` from `offset` on; the server may answer with the whole all the same. http and https only, a
/// few redirections; a connection that takes 10 s to make, or brings next to nothing for 10 s, is given up.
/// Safe from several threads.
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
  if (code == CURLE_OK || transfer.is_stopped) return {transfer.response, false, ""};
  return {transfer.response, !is_broken_off(code),
          words[0] != '\0' ? words.data() : curl_easy_strerror(code)};
}

enum HttpStatus : long {
  kOk = 200,
  kPartialContent = 206,
  kRequestTimeout = 408,
  kRangeNotSatisfiable = 416,
  kTooManyRequests = 429,
  kServerError = 500,
};

bool has_content(long status) { return status == kOk || status == kPartialContent; }

bool may_pass(long status) {
  return status == kRequestTimeout || status == kTooManyRequests || status >= kServerError;
}

[[noreturn]] void fail(const std::string& url, const std::string& why) {
  throw Error(ErrorKind::kData, "cannot download {}: {}", without_passwords(url), why);
}

/// A download under way.
class Download {
 public:
  Download(const RemoteFile& file, const std::string& url, PartFile& part, const DownloadProgress& progress)
      : file_(file), url_(url), part_(part), progress_(progress) {}

  /// Tries until the part has the size of the file.
  void complete(const RetryPolicy& policy) {
    std::string trouble;
    std::chrono::milliseconds pause = policy.first_pause;
    for (int tries = 0; part_.size() < file_.size; ++tries) {
      if (tries == policy.tries) give_up(trouble, tries);
      if (tries > 0) {
        std::this_thread::sleep_for(pause);
        pause *= 2;
      }
      trouble = try_once();
    }
  }

 private:
  /// Says what ended the try before the part was whole.
  std::string try_once() {
    is_aligned_ = false;
    return judge(
        http_get(url_, part_.size(), [this](const HttpResponse& response, std::span<const std::byte> bytes) {
          return accept(response, bytes);
        }));
  }

  bool accept(const HttpResponse& response, std::span<const std::byte> bytes) {
    if (!has_content(response.status)) return false;
    if (!is_aligned_) is_aligned_ = align(response);
    if (!is_aligned_) return false;
    if (part_.size() + Bytes{std::ssize(bytes)} > file_.size) {
      part_.discard();
      fail(url_, fmt::format("it is larger than the {} bytes of the file; check --base-url",
                             with_separators(file_.size.value)));
    }
    part_.append(bytes);
    if (progress_) progress_(file_.name, part_.size(), file_.size);
    return true;
  }

  /// Makes the part end where the response starts, which need not be where it was asked to.
  bool align(const HttpResponse& response) {
    const Bytes start = response.status == kOk ? Bytes{0} : response.range_start.value_or(Bytes{-1});
    if (start == part_.size()) return true;
    part_.restart();
    return start == part_.size();
  }

  std::string judge(const HttpOutcome& outcome) {
    const long status = outcome.response.status;
    const std::string answer = fmt::format("the server answered {}", status);
    if (outcome.has_failed) {
      fail(url_, outcome.detail + "; check the network or give another --base-url");
    }
    if (status == kRangeNotSatisfiable) part_.restart();
    if (status == kRangeNotSatisfiable || may_pass(status)) return answer;
    if (status != 0 && !has_content(status)) fail(url_, answer + "; check --base-url");
    return outcome.detail.empty() ? "the transfer ended early" : outcome.detail;
  }

  [[noreturn]] void give_up(const std::string& trouble, int tries) const {
    fail(url_, fmt::format(
                   "{} ({} of {} bytes after {} tries); what arrived is kept, run the command again to go on",
                   trouble, with_separators(part_.size().value), with_separators(file_.size.value), tries));
  }

  const RemoteFile& file_;
  const std::string& url_;
  PartFile& part_;
  const DownloadProgress& progress_;
  bool is_aligned_ = false;  ///< The next bytes of this try belong at the end of the part.
};

}  // namespace

bool is_intact(const fs::path& path, const RemoteFile& file) {
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  return !failure && static_cast<std::int64_t>(size) == file.size.value && md5_of_file(path) == file.md5;
}

void download(const RemoteFile& file, const std::string& url, const fs::path& target,
              const RetryPolicy& policy, const DownloadProgress& progress) {
  PartFile part(target);
  const bool is_resumed = part.size() > Bytes{0};
  Download transfer(file, url, part, progress);
  transfer.complete(policy);
  if (is_resumed && !is_intact(part.path(), file)) {  // what an earlier call left may be of another file
    part.restart();
    transfer.complete(policy);
  }
  const std::string checksum = md5_of_file(part.path());
  if (checksum != file.md5) {
    part.discard();
    fail(url, fmt::format("its checksum is wrong (MD5 {}, expected {}); try again or give another --base-url",
                          checksum, file.md5));
  }
  part.publish();
}

}  // namespace gpubench
