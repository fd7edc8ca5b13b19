#include "data/fetch/web_page.h"

#include <array>

#include "data/fetch/transfer.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

constexpr long kLongestSeconds = 60;
constexpr long kStatusOk = 200;
constexpr int kTries = 3;

/// A page as it arrives.
struct Page {
  std::string text;
  Bytes most;
};

/// Called by C code, which no exception may cross: the text has room for all from the beginning.
std::size_t take(char* bytes, std::size_t, std::size_t size, void* context) {
  auto& page = *static_cast<Page*>(context);
  if (Bytes{static_cast<std::int64_t>(page.text.size() + size)} > page.most) return 0;
  page.text.append(bytes, size);
  return size;
}

/// The answer to one request.
struct Outcome {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string words;

  bool is_good() const { return code == CURLE_OK && status == kStatusOk; }
};

Outcome perform(CURL* curl, const std::string& url) {
  std::array<char, CURL_ERROR_SIZE> words{};
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, kLongestSeconds);
  Outcome outcome{curl_easy_perform(curl), 0, ""};
  outcome.words = words[0] != '\0' ? words.data() : curl_easy_strerror(outcome.code);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &outcome.status);
  return outcome;
}

[[noreturn]] void fail(const std::string& url, const Outcome& outcome, const FetchTerms& terms) {
  if (outcome.code != CURLE_OK)
    throw Error(ErrorKind::kData, "cannot read {}: {}; {}", without_passwords(url), outcome.words,
                transfer_remedy(outcome.code, terms.address_option));
  throw Error(ErrorKind::kData, "cannot read {}: the server answered {}; check {}", without_passwords(url),
              outcome.status, terms.address_option);
}

}  // namespace

std::string read_page(const std::string& url, Bytes most, const FetchTerms& terms) {
  Outcome outcome;
  for (int tries = 0; tries < kTries; ++tries) {
    Page page{{}, most};
    page.text.reserve(static_cast<std::size_t>(most.value));
    const Curl curl = new_transfer();
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &page);
    outcome = perform(curl.get(), url);
    if (outcome.is_good()) return std::move(page.text);
  }
  fail(url, outcome, terms);
}

Bytes remote_size(const std::string& url, const FetchTerms& terms) {
  const Curl curl = new_transfer();
  curl_easy_setopt(curl.get(), CURLOPT_NOBODY, 1L);
  const Outcome outcome = perform(curl.get(), url);
  if (!outcome.is_good()) fail(url, outcome, terms);
  curl_off_t size = -1;
  curl_easy_getinfo(curl.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
  if (size <= 0)
    throw Error(ErrorKind::kData, "cannot read {}: the server states no size; give another {}",
                without_passwords(url), terms.address_option);
  return Bytes{size};
}

}  // namespace gpubench
