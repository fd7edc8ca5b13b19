#pragma once
// Checks for all kinds of documents.

#include <string>
#include <string_view>

#include "fuzz/target.h"
#include "gpubench/record/edit.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {

/// Checks that the document of `write` has the right checksum and survives a round trip through `read`.
template <class Record, class Write, class Read>
void require_same_again(const Record& record, Write write, Read read) {
  const std::string text = write(record);
  const Json again = parse_document(text);
  require(again.at(kContentHashKey) == content_hash(again), "a document has the checksum of its content");
  require(write(read(again)) == text, "a document survives a round trip");
}

/// Reads a record, shows it, and writes it, unchanged and redacted.
template <class Read, class Show, class Write>
void read_and_write(const Json& document, Read read, Show show, Write write) {
  auto record = read(document);
  show(record);
  require_same_again(record, write, read);
  redact(record);
  require_same_again(record, write, read);
}

/// Parses a document and checks it; reported faults are ignored.
inline Json checked_document(std::string_view text) {
  Json document = parse_document(text);
  document_faults(document);
  return document;
}

}  // namespace gpubench::fuzz
