#include "data/fetch/fetch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>

#include <curl/curl.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// Limit for connecting, and for a transfer below kMinBytesPerSecond.
constexpr long kTimeoutSeconds = 6;
constexpr long kMinBytesPerSecond = 16'384;

std::string system_message(int error) { return std::generic_category().message(error); }

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

/// Finds the CA certificates if libcurl's default path is missing, as in programs built on another system.
/// Returns nullptr to use libcurl's default.
const char* certificates() {
  constexpr const char* kPlaces[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                     "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
  const char* const own = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (own == nullptr || file_exists(own)) return nullptr;
  for (const char* place : kPlaces) {
    if (file_exists(place)) return place;
  }
  return nullptr;
}

/// Prepares a transfer over HTTP or HTTPS that follows up to five redirections and fails on status >= 400.
Curl new_transfer(const std::string& url) {
  constexpr long kMaxRedirections = 5;
  // libcurl must be initialized once, before its first use.
  static const CURLcode status = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (status != CURLE_OK) throw Error(ErrorKind::kInternal, "cannot initialize libcurl");
  Curl curl(curl_easy_init(), curl_easy_cleanup);
  if (curl == nullptr) throw Error(ErrorKind::kInternal, "cannot create a libcurl transfer");
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS, long{CURLPROTO_HTTP | CURLPROTO_HTTPS});
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS, long{CURLPROTO_HTTP | CURLPROTO_HTTPS});
#endif
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, kMaxRedirections);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);  // libcurl's alarm signal is unsafe with threads.
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kTimeoutSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kMinBytesPerSecond);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, kTimeoutSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, "gpubench");
  if (const char* const place = certificates()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, place);
  return curl;
}

struct Outcome {
  CURLcode code = CURLE_OK;
  long status = 0;  ///< HTTP status of the last response, after redirections; 0 without a response.
  std::string message;

  /// Returns true if a retry may succeed: the connection was lost or stalled, or the server was busy.
  bool is_transient() const {
    constexpr std::array kTransient = {CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR,
                                       CURLE_RECV_ERROR,   CURLE_HTTP2,       CURLE_OPERATION_TIMEDOUT,
                                       CURLE_HTTP2_STREAM};
    if (code != CURLE_HTTP_RETURNED_ERROR) return std::ranges::find(kTransient, code) != kTransient.end();
    return status == 408 || status == 429 || status >= 500;  // Timeout, too many requests, server error.
  }
};

Outcome perform(CURL* curl, long timeout_seconds) {
  std::array<char, CURL_ERROR_SIZE> message{};
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message.data());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout_seconds);
  Outcome outcome{curl_easy_perform(curl), 0, ""};
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &outcome.status);
  outcome.message = message[0] != '\0' ? message.data() : curl_easy_strerror(outcome.code);
  if (outcome.code == CURLE_HTTP_RETURNED_ERROR)
    outcome.message = fmt::format("the server answered {}", outcome.status);
  return outcome;
}

[[noreturn]] void fail(const std::string& url, const std::string& why) {
  throw Error(ErrorKind::kData, "cannot download {}: {}", without_passwords(url), why);
}

[[noreturn]] void fail(const std::string& url, const Outcome& outcome, const FetchTerms& terms) {
  std::string remedy = "check the network or give another " + terms.address_setting;
  if (outcome.code == CURLE_HTTP_RETURNED_ERROR) remedy = "check " + terms.address_setting;
  if (outcome.code == CURLE_SSL_CACERT_BADFILE) remedy = "install CA certificates (package ca-certificates)";
  fail(url, outcome.message + "; " + remedy);
}

/// Downloads a file to `<target>.part`, which is kept for resuming unless it is empty or corrupt.
class Download {
 public:
  Download(const RemoteFile& file, const std::string& url, const fs::path& target,
           const DownloadProgress& progress, const FetchTerms& terms)
      : file_(file), url_(url), target_(target), progress_(progress), terms_(terms) {
    // Refuses links and pipes of this name, which another user may have created.
    constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    part_.reset(open(path_.c_str(), kFlags, 0644));
    struct stat status {};
    if (!part_.is_open() || fstat(part_.get(), &status) != 0) fail_to_write(errno);
    if (!S_ISREG(status.st_mode)) fail_to_write(EINVAL);
    size_ = Bytes{status.st_size};
  }
  ~Download() {
    if (size_ == Bytes{0}) discard();
  }

  void run() {
    complete();
    const std::string checksum = terms_.compute_checksum(path_);
    if (checksum != file_.checksum) {
      discard();
      fail(url_, fmt::format("its checksum is wrong ({} {}, expected {}); try again or give another {}",
                             terms_.checksum_name, checksum, file_.checksum, terms_.address_setting));
    }
    if (!publish(part_.get(), path_, target_)) fail_to_write(errno);
  }

 private:
  void complete() {
    std::string failure;
    std::chrono::milliseconds pause = terms_.first_pause;
    for (int tries = 0; size_ < file_.size; ++tries) {
      if (tries == terms_.tries) {
        fail(url_, fmt::format(
                       "{} ({} of {} bytes after {} tries); the partial file is kept, run the command again "
                       "to resume",
                       failure, with_separators(size_.value), with_separators(file_.size.value), tries));
      }
      if (tries > 0) {
        std::this_thread::sleep_for(pause);
        pause *= 2;
      }
      failure = try_once();
    }
  }

  /// Requests the missing part of the file. Returns the reason if the transfer ended early.
  std::string try_once() {
    const Curl curl = new_transfer(url_);
    curl_easy_setopt(curl.get(), CURLOPT_RESUME_FROM_LARGE, curl_off_t{size_.value});
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, on_transfer);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, this);
    // The timeout allows the whole file at the minimum speed.
    const Outcome outcome =
        perform(curl.get(), kTimeoutSeconds + static_cast<long>(file_.size.value / kMinBytesPerSecond));
    if (failure_) std::rethrow_exception(failure_);
    if (is_endless_) fail_as_too_large();
    constexpr long kRangeOutsideFile = 416;
    if (outcome.code == CURLE_RANGE_ERROR || outcome.status == kRangeOutsideFile) {
      if (ftruncate(part_.get(), 0) != 0) fail_to_write(errno);
      size_ = Bytes{0};
      return "the server cannot resume a download";
    }
    if (outcome.code == CURLE_OK) return "the transfer ended early";
    if (!outcome.is_transient()) fail(url_, outcome, terms_);
    return outcome.message;
  }

  /// Called from C code, so it must not throw.
  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* context) {
    auto& self = *static_cast<Download*>(context);
    try {
      self.accept(std::as_bytes(std::span(bytes, size)));
      return size;
    } catch (...) {
      self.failure_ = std::current_exception();
      return 0;
    }
  }

  /// Limits the bodies of redirections, which on_body() does not see. Non-zero ends the transfer.
  static int on_transfer(void* context, curl_off_t, curl_off_t arrived, curl_off_t, curl_off_t) {
    constexpr curl_off_t kMaxRedirectionBody = 65'536;
    auto& self = *static_cast<Download*>(context);
    self.is_endless_ = arrived > self.file_.size.value + kMaxRedirectionBody;
    return self.is_endless_ ? 1 : 0;
  }

  void accept(std::span<const std::byte> bytes) {
    const Bytes size = size_ + Bytes{std::ssize(bytes)};
    if (size > file_.size) fail_as_too_large();
    if (!write_all(part_.get(), bytes)) fail_to_write(errno);
    size_ = size;
    if (progress_) progress_(file_.name, size_, file_.size);
  }

  void discard() { unlink(path_.c_str()); }

  [[noreturn]] void fail_as_too_large() {
    discard();
    fail(url_, fmt::format("larger than the expected {} bytes; check {}", with_separators(file_.size.value),
                           terms_.address_setting));
  }

  [[noreturn]] void fail_to_write(int error) const {
    throw Error(ErrorKind::kData, "cannot write {}: {}; free some space or {}", path_.string(),
                system_message(error), terms_.elsewhere);
  }

  const RemoteFile& file_;
  const std::string& url_;
  const fs::path& target_;
  const DownloadProgress& progress_;
  const FetchTerms& terms_;
  const fs::path path_ = target_.string() + ".part";
  FileDescriptor part_;
  Bytes size_;
  std::exception_ptr failure_{};
  bool is_endless_ = false;
};

/// Performs a short transfer. Throws on failure.
void complete(const Curl& curl, const std::string& url, const FetchTerms& terms) {
  constexpr long kMaxSeconds = 60;
  const Outcome outcome = perform(curl.get(), kMaxSeconds);
  if (outcome.code != CURLE_OK) fail(url, outcome, terms);
}

}  // namespace

bool is_intact(const fs::path& path, const RemoteFile& file, const FetchTerms& terms) {
  std::error_code ignored;  // The size of a missing file is -1.
  return static_cast<std::int64_t>(fs::file_size(path, ignored)) == file.size.value &&
         terms.compute_checksum(path) == file.checksum;
}

void download(const RemoteFile& file, const std::string& url, const fs::path& target,
              const DownloadProgress& progress, const FetchTerms& terms) {
  Download(file, url, target, progress, terms).run();
}

std::string read_page(const std::string& url, Bytes limit, const FetchTerms& terms) {
  std::string page;
  page.reserve(static_cast<std::size_t>(limit.value));
  // Called from C code, so it must not throw: the page has its full capacity from the start.
  const auto append = [](char* bytes, std::size_t, std::size_t size, void* context) -> std::size_t {
    auto& text = *static_cast<std::string*>(context);
    if (text.size() + size > text.capacity()) return 0;
    text.append(bytes, size);
    return size;
  };
  const Curl curl = new_transfer(url);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, +append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &page);
  complete(curl, url, terms);
  return page;
}

Bytes remote_size(const std::string& url, const FetchTerms& terms) {
  const Curl curl = new_transfer(url);
  curl_easy_setopt(curl.get(), CURLOPT_NOBODY, 1L);
  complete(curl, url, terms);
  curl_off_t size = -1;
  curl_easy_getinfo(curl.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
  if (size <= 0) fail(url, "the server does not report the size; give another " + terms.address_setting);
  return Bytes{size};
}

FileDescriptor locked_folder(const fs::path& folder, const FetchTerms& terms) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorKind::kData, "cannot write to {}: {}; {}", folder.string(), reason, terms.elsewhere);
  };
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) refuse(failure.message());
  // Uses a separate file, since a lock on the part file would follow it to its final name.
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  FileDescriptor file(open((folder / ".lock").c_str(), kFlags, 0644));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) refuse(system_message(errno));
  if (!S_ISREG(status.st_mode)) refuse(".lock is not a regular file");
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    log_info("waiting for another process that writes to {}", folder.string());
    if (flock(file.get(), LOCK_EX) != 0) refuse(system_message(errno));
  }
  return file;
}

}  // namespace gpubench
