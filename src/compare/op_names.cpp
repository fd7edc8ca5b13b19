#include "compare/op_names.h"

#include <algorithm>

#include "gpubench/core/nearest.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

template <class T>
bool differs(std::span<const OpRecord> rows, T OpRecord::*member) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const OpRecord& row) { return row.*member != rows.front().*member; });
}

}  // namespace

OpNames::OpNames(std::span<const OpRecord> rows)
    : tells_type_(differs(rows, &OpRecord::type)),
      tells_direction_(differs(rows, &OpRecord::direction)),
      tells_cache_(differs(rows, &OpRecord::cache)),
      tells_device_(differs(rows, &OpRecord::device)) {}

std::vector<std::string> OpNames::variants(const OpRecord& row, bool tells_type) const {
  std::vector<std::string> words;
  if (tells_type) words.push_back(to_string(row.type));
  if (tells_direction_) words.push_back(to_string(row.direction));
  if (tells_cache_) words.push_back(to_string(row.cache));
  if (tells_device_) words.push_back(one_line(row.device));
  return words;
}

std::string OpNames::whole(const OpRecord& row) const {
  std::vector<std::string> words = variants(row, tells_type_);
  words.insert(words.begin(), one_line(row.op + " " + row.sizes));
  return join(words);
}

std::string OpNames::without_type(const OpRecord& row) const {
  std::vector<std::string> words = variants(row, false);
  words.insert(words.begin(), one_line(row.op + " " + row.sizes));
  return join(words);
}

std::string OpNames::variant(const OpRecord& row) const {
  const std::vector<std::string> words = variants(row, true);
  return join(words);
}

bool is_same_work(const OpRecord& a, const OpRecord& b) {
  return a.op == b.op && a.sizes == b.sizes && a.type == b.type && a.direction == b.direction &&
         a.cache == b.cache;
}

Reading<Estimate> usable_time(const OpRecord& row) {
  const std::string why = row.status_message.empty() ? "" : ": " + one_line(row.status_message);
  if (row.status != OpStatus::kOk) return absent(to_string(row.status) + why);
  if (row.call_seconds.empty() && !row.status_message.empty()) return absent(one_line(row.status_message));
  const Reading<Estimate> time = call_time(row);
  if (time.has_value() && time.value().value <= 0) return absent("the time is zero");
  return time;
}

std::vector<OpType> types_of(std::span<const OpRecord> rows) {
  std::vector<OpType> types;
  for (const OpType type : all_op_types()) {
    const bool is_there =
        std::any_of(rows.begin(), rows.end(), [&](const OpRecord& row) { return row.type == type; });
    if (is_there) types.push_back(type);
  }
  return types;
}

}  // namespace gpubench
