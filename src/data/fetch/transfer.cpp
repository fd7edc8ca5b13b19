#include "data/fetch/transfer.h"

#include <filesystem>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Where systems keep the certificates of authorities: a program that was built on another one looks in the
/// wrong place. Null where libcurl's own place is right, or none is known.
const char* certificates() {
  constexpr const char* kPlaces[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                     "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
  std::error_code ignored;
  const char* const own = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (own == nullptr || std::filesystem::exists(own, ignored)) return nullptr;
  for (const char* place : kPlaces) {
    if (std::filesystem::exists(place, ignored)) return place;
  }
  return nullptr;
}

}  // namespace

Curl new_transfer() {
  constexpr long kMaxRedirections = 5;
  // libcurl wants to be initialised once, before its first use.
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

std::string transfer_remedy(CURLcode code, const std::string& address_option) {
  if (code == CURLE_SSL_CACERT_BADFILE) return "install the certificates of authorities (ca-certificates)";
  return "check the network or give another " + address_option;
}

}  // namespace gpubench
