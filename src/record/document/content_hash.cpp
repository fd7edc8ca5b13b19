#include "record/document/content_hash.h"

#include <span>

#include "gpubench/core/io/digest.h"

namespace gpubench {
namespace {

using SortedJson = nlohmann::json;

void make_double(SortedJson& value) {
  // The sum makes one zero of two.
  if (value.is_number()) value = value.get<double>() + 0.0;
  if (!value.is_structured()) return;
  for (SortedJson& item : value) make_double(item);
}

}  // namespace

std::string content_hash(const Json& document) {
  SortedJson content = document;
  if (content.is_object()) content.erase(kContentHashKey);
  make_double(content);
  const std::string text = content.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
  return sha256(std::as_bytes(std::span(text)));
}

Json sealed(Json document) {
  document.erase(kContentHashKey);
  document[kContentHashKey] = content_hash(document);
  return document;
}

}  // namespace gpubench
