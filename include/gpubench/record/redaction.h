#pragma once
// A run, a table of operations or a selftest without what tells whose machine it ran on.

#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"
#include "gpubench/record/run_record.h"
#include "gpubench/record/selftest_record.h"

namespace gpubench {

/// What is known of the person and the machine beside the record. Empty: not known.
struct Identity {
  std::string host;
  std::string user;
  std::string home;         ///< Folder, "/home/alice".
  std::string domain = {};  ///< "lab.example.org".
};

/// One text that was replaced, wherever it stood.
struct Replacement {
  std::string found;
  std::string word;        ///< What stands there now: "host", "user", "/home/user", "serial-1".
  std::int64_t count = 0;  ///< Places.
};

/// Replaces in every text of the record that people or the machine wrote, reasons included: the name of the
/// host (that of the record and of `known`) with and without its domain, of users (of `known`, and whose
/// folder below a home, users or Users is named), their home folders, folders below /mnt, /media and
/// /run/user, e-mail and IP addresses, and serial numbers (UUIDs, hardware addresses, ids of 32 digits, what
/// follows "serial"). The same text becomes the same word everywhere. Names that gpubench gave, such as
/// models and devices, and figures stay. Returns what was replaced, in the order of first sight.
std::vector<Replacement> redact(RunRecord& run, const Identity& known);
std::vector<Replacement> redact(OpsRecord& ops, const Identity& known);
std::vector<Replacement> redact(SelftestRecord& selftest, const Identity& known);

/// `text`, such as a file's name, with what was replaced in a record replaced in it as well.
std::string redacted(const std::string& text, const std::vector<Replacement>& replacements);

}  // namespace gpubench
