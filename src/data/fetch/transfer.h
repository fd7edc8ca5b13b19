#pragma once
// How libcurl is set up for every transfer.

#include <memory>
#include <string>

#include <curl/curl.h>

namespace gpubench {

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

/// A connection that takes longer to be made, or is slower for so long, is given up.
constexpr long kPatienceSeconds = 6;
constexpr long kSlowestBytesPerSecond = 16'384;

/// A transfer over HTTP or HTTPS, with a few redirections. Throws an internal Error where libcurl cannot
/// start one.
Curl new_transfer();

/// What helps where one ended with `code`: "check the network or give another --base-url".
std::string transfer_remedy(CURLcode code, const std::string& address_option);

}  // namespace gpubench
