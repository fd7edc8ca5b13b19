#include "data/fetch/download.h"

#include <thread>

#include <fmt/format.h>

#include "data/fetch/http.h"
#include "data/fetch/part_file.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

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
  throw Error(ErrorKind::kData, fmt::format("cannot download {}: {}", without_passwords(url), why));
}

/// A download under way.
class Download {
 public:
  Download(const RemoteFile& file, const std::string& url, PartFile& part, const DownloadProgress& progress)
      : file_(file), url_(url), part_(part), progress_(progress) {}

  /// Tries until the part has the size of the file.
  void complete(const RetryPolicy& policy);

 private:
  std::string try_once();
  bool accept(const HttpResponse& response, std::span<const std::byte> bytes);
  bool align(const HttpResponse& response);
  std::string judge(const HttpOutcome& outcome);
  [[noreturn]] void give_up(const std::string& trouble, int tries) const;

  const RemoteFile& file_;
  const std::string& url_;
  PartFile& part_;
  const DownloadProgress& progress_;
  bool is_aligned_ = false;  ///< The next bytes of this try belong at the end of the part.
};

void Download::complete(const RetryPolicy& policy) {
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

/// Says what ended the try before the part was whole.
std::string Download::try_once() {
  is_aligned_ = false;
  return judge(
      http_get(url_, part_.size(), [this](const HttpResponse& response, std::span<const std::byte> bytes) {
        return accept(response, bytes);
      }));
}

bool Download::accept(const HttpResponse& response, std::span<const std::byte> bytes) {
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
bool Download::align(const HttpResponse& response) {
  const Bytes start = response.status == kOk ? Bytes{0} : response.range_start.value_or(Bytes{-1});
  if (start == part_.size()) return true;
  part_.restart();
  return start == part_.size();
}

std::string Download::judge(const HttpOutcome& outcome) {
  const long status = outcome.response.status;
  const std::string answer = fmt::format("the server answered {}", status);
  if (outcome.end == HttpEnd::kFailed) {
    fail(url_, outcome.detail + "; check the network or give another --base-url");
  }
  if (status == kRangeNotSatisfiable) part_.restart();
  if (status == kRangeNotSatisfiable || may_pass(status)) return answer;
  if (status != 0 && !has_content(status)) fail(url_, answer + "; check --base-url");
  return outcome.detail.empty() ? "the transfer ended early" : outcome.detail;
}

void Download::give_up(const std::string& trouble, int tries) const {
  fail(url_,
       fmt::format("{} ({} of {} bytes after {} tries); what arrived is kept, run the command again to go on",
                   trouble, with_separators(part_.size().value), with_separators(file_.size.value), tries));
}

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
