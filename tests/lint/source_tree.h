#pragma once
// What the code says of its own structure: files, includes, and what each folder's CMakeLists.txt lets it
// include.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gpubench::test {

/// An include of one file of the project by another; paths are relative to the root.
struct Include {
  std::string from;
  std::string to;
};

/// The sources of a checkout. Folders are paths below src, or "models"; a header of include/gpubench belongs
/// to the folder of its name ("core/text"), one that lies directly there to none: it is a contract of
/// plug-ins.
class SourceTree {
 public:
  explicit SourceTree(const std::filesystem::path& root);

  const std::vector<Include>& includes() const { return includes_; }
  std::size_t files() const { return files_.size(); }

  /// A line for each include of a header whose folder the including folder does not need, by its
  /// CMakeLists.txt.
  std::vector<std::string> includes_without_need() const;

  /// A line for each include, by a plug-in, of a contract that is another family's and not its own. A
  /// family's contracts are those that the header under ENTRIES of its CMakeLists.txt reaches.
  std::vector<std::string> foreign_contracts() const;

  /// A line for each set of files that include each other in a circle; a header and the source of its name
  /// are one.
  std::vector<std::string> circles() const;

  /// A line for each folder with more files than someone can know by heart, but for folders of plug-ins.
  std::vector<std::string> crowded_folders(std::size_t most) const;

 private:
  void read_needs(const std::filesystem::path& root);
  void read_includes(const std::filesystem::path& root, const std::string& file);
  std::set<std::string> contracts_of(const std::string& family) const;

  std::set<std::string> files_;
  std::vector<Include> includes_;
  std::map<std::string, std::set<std::string>> needs_;  // Of each folder that has a target.
  std::map<std::string, std::string> plug_in_headers_;  // Under ENTRIES, of each folder of plug-ins.
};

}  // namespace gpubench::test
