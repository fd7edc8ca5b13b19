#include "data/fetch/download.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <system_error>
#include <thread>

#include <curl/curl.h>
#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// A connection that takes longer to be made, or is slower for this long, is given up.
constexpr long kPatienceSeconds = 6;
constexpr long kSlowestBytesPerSecond = 16'384;

enum HttpStatus : long {
  kRequestTimeout = 408,
  kRangeNotSatisfiable = 416,
  kTooManyRequests = 429,
  kServerError = 500,
};

std::string system_message(int error) { return std::generic_category().message(error); }

/// `<target>.part`, kept unless empty, published or discarded, to resume. Write failures are data Errors.
class PartFile {
 public:
  PartFile(const fs::path& target, const std::string& elsewhere)
      : target_(target), path_(target.string() + ".part"), elsewhere_(elsewhere) {
    // A link or a pipe of that name was put there by somebody else.
    constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    file_.reset(open(path_.c_str(), kFlags, 0644));
    struct stat status {};
    if (!file_.is_open() || fstat(file_.get(), &status) != 0) fail(errno);
    if (!S_ISREG(status.st_mode)) fail(EINVAL);
    size_ = Bytes{status.st_size};
  }
  ~PartFile() {
    if (size_ == Bytes{0}) discard();
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const fs::path& path() const { return path_; }
  Bytes size() const { return size_; }

  void restart() {
    if (ftruncate(file_.get(), 0) != 0) fail(errno);
    size_ = Bytes{0};
  }
  void append(std::span<const std::byte> bytes) {
    if (!write_all(file_.get(), bytes)) fail(errno);
    size_ = size_ + Bytes{std::ssize(bytes)};
  }
  void publish() {
    if (!gpubench::publish(file_.get(), path_, target_)) fail(errno);
  }
  void discard() { unlink(path_.c_str()); }

 private:
  [[noreturn]] void fail(int error) const {
    throw Error(ErrorKind::kData, "cannot write {}: {}; free some space or {}", path_.string(),
                system_message(error), elsewhere_);
  }

  const fs::path& target_;
  fs::path path_;
  const std::string& elsewhere_;
  FileDescriptor file_;
  Bytes size_;
};

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

/// Finds CA certificates for programs built on another system. Null: libcurl's own place, or unknown.
const char* certificates() {
  constexpr const char* kPlaces[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                     "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
  std::error_code ignored;
  const char* const own = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (own == nullptr || fs::exists(own, ignored)) return nullptr;
  for (const char* place : kPlaces) {
    if (fs::exists(place, ignored)) return place;
  }
  return nullptr;
}

/// Makes a transfer over HTTP or HTTPS, with a few redirections, that fails on a status of 400 and above.
Curl new_transfer(const std::string& url) {
  constexpr long kMaxRedirections = 5;
  // libcurl has to be initialised once, before its first use.
  static const CURLcode status = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (status != CURLE_OK) throw Error(ErrorKind::kInternal, "libcurl cannot be initialised");
  Curl curl(curl_easy_init(), curl_easy_cleanup);
  if (curl == nullptr) throw Error(ErrorKind::kInternal, "libcurl cannot start a transfer");
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
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);  // libcurl's alarm signal would hit any thread
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kPatienceSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, kPatienceSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, "gpubench");
  if (const char* const place = certificates()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, place);
  return curl;
}

struct Outcome {
  CURLcode code = CURLE_OK;
  long status = 0;  ///< Of the last response, after redirections; 0 without one.
  std::string words;

  /// Returns true if another try may succeed: the connection was lost or stalled, or the server was busy.
  bool may_pass() const {
    constexpr std::array kBrokenOff = {CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR,
                                       CURLE_RECV_ERROR,   CURLE_HTTP2,       CURLE_OPERATION_TIMEDOUT,
                                       CURLE_HTTP2_STREAM};
    if (code != CURLE_HTTP_RETURNED_ERROR) return std::ranges::find(kBrokenOff, code) != kBrokenOff.end();
    return status == kRequestTimeout || status == kTooManyRequests || status >= kServerError;
  }
};

Outcome perform(CURL* curl, long longest_seconds) {
  std::array<char, CURL_ERROR_SIZE> words{};
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, longest_seconds);
  Outcome outcome{curl_easy_perform(curl), 0, ""};
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &outcome.status);
  if (outcome.code == CURLE_HTTP_RETURNED_ERROR) {
    outcome.words = fmt::format("the server answered {}", outcome.status);
  } else {
    outcome.words = words[0] != '\0' ? words.data() : curl_easy_strerror(outcome.code);
  }
  return outcome;
}

[[noreturn]] void fail(const std::string& url, const std::string& why) {
  throw Error(ErrorKind::kData, "cannot download {}: {}", without_passwords(url), why);
}

[[noreturn]] void fail(const std::string& url, const Outcome& outcome, const FetchTerms& terms) {
  std::string remedy = "check the network or give another " + terms.address_setting;
  if (outcome.code == CURLE_HTTP_RETURNED_ERROR) remedy = "check " + terms.address_setting;
  if (outcome.code == CURLE_SSL_CACERT_BADFILE)
    remedy = "install the certificates of authorities (ca-certificates)";
  fail(url, outcome.words + "; " + remedy);
}

class Download {
 public:
  Download(const RemoteFile& file, const std::string& url, PartFile& part, const DownloadProgress& progress,
           const FetchTerms& terms)
      : file_(file), url_(url), part_(part), progress_(progress), terms_(terms) {}

  void complete() {
    std::string trouble;
    std::chrono::milliseconds pause = terms_.first_pause;
    for (int tries = 0; part_.size() < file_.size; ++tries) {
      if (tries == terms_.tries) {
        fail(url_, fmt::format("{} ({} of {} bytes after {} tries); what arrived is kept, run the command "
                               "again to go on",
                               trouble, with_separators(part_.size().value),
                               with_separators(file_.size.value), tries));
      }
      if (tries > 0) {
        std::this_thread::sleep_for(pause);
        pause *= 2;
      }
      trouble = try_once();
    }
  }

 private:
  /// Requests what the part lacks. Returns what ended the try early.
  std::string try_once() {
    const Curl curl = new_transfer(url_);
    curl_easy_setopt(curl.get(), CURLOPT_RESUME_FROM_LARGE, curl_off_t{part_.size().value});
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, on_transfer);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, this);
    // Enough for the whole file at the slowest speed.
    const Outcome outcome =
        perform(curl.get(), kPatienceSeconds + static_cast<long>(file_.size.value / kSlowestBytesPerSecond));
    if (failure_) std::rethrow_exception(failure_);
    if (is_endless_) fail_as_too_large();
    if (outcome.code == CURLE_RANGE_ERROR || outcome.status == kRangeNotSatisfiable) {
      part_.restart();
      return "the server does not continue a part";
    }
    if (outcome.code == CURLE_OK) return "the transfer ended early";
    if (!outcome.may_pass()) fail(url_, outcome, terms_);
    return outcome.words;
  }

  /// Called by C code: must not throw.
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

  /// Checks the bodies of redirections, which on_body() does not see. Not 0 ends an oversized try.
  static int on_transfer(void* context, curl_off_t, curl_off_t arrived, curl_off_t, curl_off_t) {
    constexpr curl_off_t kWordsOfARedirection = 65'536;
    auto& self = *static_cast<Download*>(context);
    self.is_endless_ = arrived > self.file_.size.value + kWordsOfARedirection;
    return self.is_endless_ ? 1 : 0;
  }

  void accept(std::span<const std::byte> bytes) {
    if (part_.size() + Bytes{std::ssize(bytes)} > file_.size) fail_as_too_large();
    part_.append(bytes);
    if (progress_) progress_(file_.name, part_.size(), file_.size);
  }

  [[noreturn]] void fail_as_too_large() {
    part_.discard();
    fail(url_, fmt::format("it is larger than the {} bytes of the file; check {}",
                           with_separators(file_.size.value), terms_.address_setting));
  }

  const RemoteFile& file_;
  const std::string& url_;
  PartFile& part_;
  const DownloadProgress& progress_;
  const FetchTerms& terms_;
  std::exception_ptr failure_{};
  bool is_endless_ = false;
};

/// Called by C code: must not throw, so the text has room for all from the beginning.
std::size_t append_to_page(char* bytes, std::size_t, std::size_t size, void* context) {
  auto& text = *static_cast<std::string*>(context);
  if (text.size() + size > text.capacity()) return 0;
  text.append(bytes, size);
  return size;
}

constexpr long kLongestPageSeconds = 60;

/// Returns "process 1234", the number being what locked_folder() writes to the file.
std::string find_holder(const FileDescriptor& file) {
  std::array<char, 16> digits{};
  const ssize_t count = pread(file.get(), digits.data(), digits.size(), 0);
  std::string number(digits.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  number.resize(std::min(number.size(), number.find_first_not_of("0123456789")));
  return number.empty() ? "another process" : "process " + number;
}

}  // namespace

bool is_intact(const fs::path& path, const RemoteFile& file, const FetchTerms& terms) {
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  return !failure && static_cast<std::int64_t>(size) == file.size.value &&
         terms.compute_checksum(path) == file.checksum;
}

void download(const RemoteFile& file, const std::string& url, const fs::path& target,
              const DownloadProgress& progress, const FetchTerms& terms) {
  PartFile part(target, terms.elsewhere);
  const bool is_resumed = part.size() > Bytes{0};
  Download transfer(file, url, part, progress, terms);
  transfer.complete();
  std::string checksum = terms.compute_checksum(part.path());
  if (is_resumed && checksum != file.checksum) {  // The part of an earlier call may be of another file.
    part.restart();
    transfer.complete();
    checksum = terms.compute_checksum(part.path());
  }
  if (checksum != file.checksum) {
    part.discard();
    fail(url, fmt::format("its checksum is wrong ({} {}, expected {}); try again or give another {}",
                          terms.checksum_name, checksum, file.checksum, terms.address_setting));
  }
  part.publish();
}

std::string read_page(const std::string& url, Bytes most, const FetchTerms& terms) {
  Outcome outcome;
  for (int tries = 0; tries < terms.tries; ++tries) {
    std::string page;
    page.reserve(static_cast<std::size_t>(most.value));
    const Curl curl = new_transfer(url);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append_to_page);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &page);
    outcome = perform(curl.get(), kLongestPageSeconds);
    if (outcome.code == CURLE_OK) return page;
  }
  fail(url, outcome, terms);
}

Bytes remote_size(const std::string& url, const FetchTerms& terms) {
  const Curl curl = new_transfer(url);
  curl_easy_setopt(curl.get(), CURLOPT_NOBODY, 1L);
  const Outcome outcome = perform(curl.get(), kLongestPageSeconds);
  if (outcome.code != CURLE_OK) fail(url, outcome, terms);
  curl_off_t size = -1;
  curl_easy_getinfo(curl.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
  if (size <= 0) fail(url, "the server states no size; give another " + terms.address_setting);
  return Bytes{size};
}

FileDescriptor locked_folder(const fs::path& folder, const FetchTerms& terms) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorKind::kData, "cannot write to {}: {}; {}", folder.string(), reason, terms.elsewhere);
  };
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) refuse(failure.message());
  // A file of its own: a lock on the part file would follow that file to its final name.
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  FileDescriptor file(open((folder / ".lock").c_str(), kFlags, 0644));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) refuse(system_message(errno));
  if (!S_ISREG(status.st_mode)) refuse(".lock is no regular file");
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    log_info("waiting for {}, which fills {}", find_holder(file), folder.string());
    if (flock(file.get(), LOCK_EX) != 0) refuse(system_message(errno));
  }
  const std::string process = std::to_string(getpid());
  if (ftruncate(file.get(), 0) == 0) write_all(file.get(), process);
  return file;
}

}  // namespace gpubench
