#pragma once
// What tables of operations and of collectives have in common on the screen and on the command line.

#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "gpubench/core/error.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// Progress is painted between two rows, so that no thread disturbs one that measures.
class OpsProgress : public Progress<OpRecord> {
 public:
  /// Shown where stderr is a terminal, unless `is_quiet`.
  explicit OpsProgress(bool is_quiet);
  void row_started(const OpRecord& row, std::size_t index, std::size_t count) override;
  void row_finished(const OpRecord& row) override;

 private:
  bool is_shown_;
};

/// What `text` says, or `otherwise` where it is empty. Throws a usage Error for what is no time above 0.
Seconds duration_or(const std::string& text, Seconds otherwise, const std::string& option);

/// Runs a table once more by the words in the journal of `file`, with `arguments` laid over them.
ExitCode continue_table(const std::string& file, const std::vector<std::string>& arguments);

/// The sections of a table of operations as text.
std::string op_sections_text(const OpsRecord& record, const std::string& name);

}  // namespace gpubench
