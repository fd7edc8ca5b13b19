#pragma once
// One HTTP GET, its body handed on as it arrives.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// The final response, after redirections.
struct HttpResponse {
  long status = 0;                   ///< 0 where there was none.
  std::optional<Bytes> range_start;  ///< Of Content-Range.
};

enum class HttpEnd {
  kWhole,      ///< The response arrived whole, whatever its status.
  kBrokenOff,  ///< The connection was lost, stalled, or stopped by the sink: worth another try.
  kFailed,     ///< Name not found, connection refused, protocol refused, ...
};

struct HttpOutcome {
  HttpEnd end;
  HttpResponse response;
  std::string detail;  ///< libcurl's words; empty for kWhole and where the sink stopped the transfer.
};

/// Takes the next bytes of the body; returns false to stop the transfer. What it throws leaves http_get.
using HttpSink = std::function<bool(const HttpResponse&, std::span<const std::byte>)>;

/// Asks for `url` from `offset` on; the server may answer with the whole all the same. http and https only, a
/// few redirections; a connection that takes 10 s to make, or brings next to nothing for 10 s, is given up.
/// Safe from several threads.
HttpOutcome http_get(const std::string& url, Bytes offset, const HttpSink& sink);

}  // namespace gpubench
