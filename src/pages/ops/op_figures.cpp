// All figures of tables of operations, a row each: what other programs draw.

#include "compare/row_names.h"
#include "gpubench/record/field_table.h"
#include "pages/ops/ops_page.h"
#include "pages/words.h"

namespace gpubench {
namespace {

Reading<Estimate> rate(double flop, const Reading<Estimate>& time) {
  if (!time.has_value()) return time;
  if (flop <= 0) return absent("the operation only moves data");
  return ratio_of({flop, Interval{flop, flop}}, time.value());
}

/// What sets the rows of one operation and size apart.
RowIdentity manner_of(const OpRecord& row) { return identity_of(row).without({"op", "sizes", "device"}); }

RowNames names_of(std::span<const NamedOps> tables) {
  std::vector<RowIdentity> manners;
  for (const NamedOps& table : tables) {
    for (const OpRecord& row : table.ops.rows) manners.push_back(manner_of(row));
  }
  return RowNames(manners);
}

void add_figure(Table& table, const std::string& figure, const NamedOps& source, const OpRecord& row,
                const std::string& variant, const Reading<Estimate>& value) {
  table.rows.push_back({{figure},
                        {source.name},
                        {source.ops.environment.host},
                        {row.device},
                        {source.ops.published ? source.ops.published->title : ""},
                        {row.op},
                        {row.sizes},
                        {to_string(row.type)},
                        {to_string(row.direction)},
                        {to_string(row.cache)},
                        {variant},
                        {to_string(row.status)},
                        {row.status_reason}});
  for (Cell& cell : estimate_cells(value)) table.rows.back().push_back(std::move(cell));
}

}  // namespace

Table ops_figures(std::span<const NamedOps> tables) {
  Table table{"",
              {{"figure"},
               {"file"},
               {"host"},
               {"device"},
               {"publication"},
               {"op"},
               {"sizes"},
               {"type"},
               {"direction"},
               {"cache"},
               {"variant"},
               {"status"},
               {"status_message"},
               {"value"},
               {"low"},
               {"high"}},
              {}};
  const RowNames names = names_of(tables);
  for (const NamedOps& source : tables) {
    for (const OpRecord& row : source.ops.rows) {
      const std::string variant = names.of(manner_of(row));
      const Reading<Estimate> time = usable_time(row);
      add_figure(table, "call_seconds", source, row, variant, time);
      add_figure(table, "flops_per_second", source, row, variant, rate(row.flop, time));
    }
  }
  return table;
}

}  // namespace gpubench
