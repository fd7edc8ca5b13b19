#include "data/fetch/download.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "data/fetch/transfer.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {

PartFile::PartFile(std::filesystem::path target, std::string elsewhere)
    : target_(std::move(target)), path_(target_.string() + ".part"), elsewhere_(std::move(elsewhere)) {
  // What somebody else has put there, a link or a pipe, is no part that an earlier process left.
  constexpr mode_t kReadableByAll = 0644;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file_.reset(open(path_.c_str(), kFlags, kReadableByAll));
  struct stat status {};
  if (!file_.is_open() || fstat(file_.get(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  size_ = Bytes{status.st_size};
}

PartFile::~PartFile() {
  if (size_ == Bytes{0}) discard();
}

void PartFile::restart() {
  if (size_ == Bytes{0}) return;
  if (ftruncate(file_.get(), 0) != 0) fail(errno);
  size_ = Bytes{0};
}

void PartFile::append(std::span<const std::byte> bytes) {
  if (!write_all(file_.get(), bytes)) fail(errno);
  size_ = size_ + Bytes{std::ssize(bytes)};
}

void PartFile::publish() {
  if (!gpubench::publish(file_.get(), path_, target_)) fail(errno);
}

void PartFile::discard() { unlink(path_.c_str()); }

void PartFile::fail(int error) const {
  throw Error(ErrorKind::kData, "cannot write {}: {}; free some space or {}", path_.string(),
              std::generic_category().message(error), elsewhere_);
}

namespace {

namespace fs = std::filesystem;

/// Start of "Content-Range: bytes 4096-8191/8192".
std::optional<Bytes> parse_range_start(std::string_view line) {
  const std::string_view prefix = "content-range: bytes ";
  const bool is_meant =
      line.size() > prefix.size() && curl_strnequal(line.data(), prefix.data(), prefix.size());
  if (!is_meant) return {};
  Bytes start;
  const auto parsed = std::from_chars(line.data() + prefix.size(), line.data() + line.size(), start.value);
  return parsed.ec == std::errc() ? std::optional(start) : std::nullopt;
}

/// Whether the connection was lost or stalled. Otherwise the name was not found, the connection or the
/// protocol refused, ...
bool is_broken_off(CURLcode code) {
  constexpr std::array kCodes = {CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR,
                                 CURLE_RECV_ERROR,   CURLE_HTTP2,       CURLE_OPERATION_TIMEDOUT,
                                 CURLE_HTTP2_STREAM};
  return std::ranges::find(kCodes, code) != kCodes.end();
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
  Download(const RemoteFile& file, const std::string& url, PartFile& part, const DownloadProgress& progress,
           const FetchTerms& terms)
      : file_(file), url_(url), part_(part), progress_(progress), option_(terms.address_option) {}

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
  /// A try and its final response, after redirections.
  struct Try {
    CURL* curl = nullptr;
    long status = 0;                     ///< 0 where there was no response.
    std::optional<Bytes> range_start{};  ///< Of Content-Range.
    bool is_aligned = false;             ///< The next bytes belong at the end of the part.
    bool is_stopped = false;
    bool is_endless = false;
    std::exception_ptr failure{};

    void read_status() { curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status); }
  };

  /// Asks for what the part lacks; the server may answer with the whole all the same. Says what ended the try
  /// before the part was whole.
  std::string try_once() {
    const Curl curl = new_transfer();
    try_ = {curl.get()};
    std::array<char, CURL_ERROR_SIZE> words{};
    const std::string range = std::to_string(part_.size().value) + "-";
    curl_easy_setopt(curl.get(), CURLOPT_URL, url_.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, words.data());
    // Not CURLOPT_RESUME_FROM: it fails where the server sends the whole, which here is an answer like
    // another.
    if (part_.size() > Bytes{0}) curl_easy_setopt(curl.get(), CURLOPT_RANGE, range.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, on_transfer);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, this);
    curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, longest_seconds());
    const CURLcode code = curl_easy_perform(curl.get());
    if (try_.failure) std::rethrow_exception(try_.failure);
    if (try_.is_endless) fail_as_too_large();
    try_.read_status();
    return judge(code, words[0] != '\0' ? words.data() : curl_easy_strerror(code));
  }

  /// Called by C code, which no exception may cross.
  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* context) {
    auto& self = *static_cast<Download*>(context);
    self.try_.read_status();
    try {
      self.try_.is_stopped = !self.accept(std::as_bytes(std::span(bytes, size)));
    } catch (...) {
      self.try_.failure = std::current_exception();
    }
    return self.try_.is_stopped || self.try_.failure ? 0 : size;
  }

  static std::size_t on_header(char* bytes, std::size_t, std::size_t size, void* context) {
    const auto start = parse_range_start({bytes, size});
    if (start) static_cast<Download*>(context)->try_.range_start = start;
    return size;
  }

  /// Sees the bodies that on_body() does not, those of redirections: not 0 ends a try that brings far more
  /// than the file.
  static int on_transfer(void* context, curl_off_t, curl_off_t arrived, curl_off_t, curl_off_t) {
    constexpr curl_off_t kWordsOfARedirection = 65'536;
    auto& self = *static_cast<Download*>(context);
    self.try_.is_endless = arrived > self.file_.size.value + kWordsOfARedirection;
    return self.try_.is_endless ? 1 : 0;
  }

  /// For the whole file at the slowest speed that is put up with.
  long longest_seconds() const {
    return kPatienceSeconds + static_cast<long>(file_.size.value / kSlowestBytesPerSecond);
  }

  /// Takes the next bytes of the body, unless they are of no use.
  bool accept(std::span<const std::byte> bytes) {
    if (!has_content(try_.status)) return false;
    if (!try_.is_aligned) try_.is_aligned = align();
    if (!try_.is_aligned) return false;
    if (part_.size() + Bytes{std::ssize(bytes)} > file_.size) fail_as_too_large();
    part_.append(bytes);
    if (progress_) progress_(file_.name, part_.size(), file_.size);
    return true;
  }

  /// Makes the part end where the response starts, which need not be where it was asked to.
  bool align() {
    const Bytes start = try_.status == kOk ? Bytes{0} : try_.range_start.value_or(Bytes{-1});
    if (start == part_.size()) return true;
    part_.restart();
    return start == part_.size();
  }

  std::string judge(CURLcode code, const std::string& words) {
    const long status = try_.status;
    const bool has_ended_well = code == CURLE_OK || try_.is_stopped;
    if (!has_ended_well && !is_broken_off(code)) {
      fail(url_, words + "; " + transfer_remedy(code, option_));
    }
    const std::string answer = fmt::format("the server answered {}", status);
    if (status == kRangeNotSatisfiable) part_.restart();
    if (status == kRangeNotSatisfiable || may_pass(status)) return answer;
    if (status != 0 && !has_content(status)) fail(url_, answer + "; check " + option_);
    return has_ended_well ? "the transfer ended early" : words;
  }

  [[noreturn]] void fail_as_too_large() {
    part_.discard();
    fail(url_, fmt::format("it is larger than the {} bytes of the file; check {}",
                           with_separators(file_.size.value), option_));
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
  const std::string& option_;
  Try try_;
};

}  // namespace

bool is_intact(const fs::path& path, const RemoteFile& file, const FetchTerms& terms) {
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  return !failure && static_cast<std::int64_t>(size) == file.size.value &&
         terms.compute_checksum(path) == file.checksum;
}

void download(const RemoteFile& file, const std::string& url, const fs::path& target,
              const RetryPolicy& policy, const DownloadProgress& progress, const FetchTerms& terms) {
  PartFile part(target, terms.elsewhere);
  const bool is_resumed = part.size() > Bytes{0};
  Download transfer(file, url, part, progress, terms);
  transfer.complete(policy);
  if (is_resumed &&
      !is_intact(part.path(), file, terms)) {  // what an earlier call left may be of another file
    part.restart();
    transfer.complete(policy);
  }
  const std::string checksum = terms.compute_checksum(part.path());
  if (checksum != file.checksum) {
    part.discard();
    fail(url, fmt::format("its checksum is wrong ({} {}, expected {}); try again or give another {}",
                          terms.checksum_name, checksum, file.checksum, terms.address_option));
  }
  part.publish();
}

}  // namespace gpubench
