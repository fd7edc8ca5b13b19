// The document of `gpubench peak`: checked, its parts read, and written again.

#include "fuzz/documents.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/peak_record.h"
#include "record/document/json_object.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

void read(std::string_view input) {
  accepts([&] {
    const Json document = checked_document(input);
    if (!document.is_object() || !document.contains("points")) return;
    const Json points =
        make_list(peak_point_fields(), make_records(document.at("points"), peak_point_fields(), "points"));
    require(make_list(peak_point_fields(), make_records(points, peak_point_fields(), "points")) == points,
            "points are read as they were written");
  });
}

}  // namespace

Target entry_peak() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
