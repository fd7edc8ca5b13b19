// A document of any version and kind, brought up to date.

#include "app/files/migration.h"
#include "fuzz/documents.h"

namespace gpubench::fuzz {
namespace {

void read(std::string_view input) {
  accepts(
      [&] { require_same_again(parse_document(input), migrated, [](const Json& again) { return again; }); });
}

}  // namespace

Target entry_migrate() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
