#pragma once
// What holds for every kind of document that is read.

#include <string>
#include <string_view>

#include "fuzz/target.h"
#include "gpubench/record/edit.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {

/// Demands that what `write` makes of the record has the checksum of its content, and is read again by
/// `read`, of its JSON, as it was written.
template <class Record, class Write, class Read>
void require_same_again(const Record& record, Write write, Read read) {
  const std::string text = write(record);
  const Json again = parse_document(text);
  require(again.at(kContentHashKey) == content_hash(again), "a document has the checksum of its content");
  require(write(read(again)) == text, "a document is written as it was read");
}

/// Reads a record, has it shown, and writes it, whole and redacted.
template <class Read, class Show, class Write>
void read_and_write(const Json& document, Read read, Show show, Write write) {
  auto record = read(document);
  show(record);
  require_same_again(record, write, read);
  redact(record);
  require_same_again(record, write, read);
}

/// The document in `text`, after it was checked, which refuses nothing.
inline Json checked_document(std::string_view text) {
  Json document = parse_document(text);
  document_faults(document);
  return document;
}

}  // namespace gpubench::fuzz
