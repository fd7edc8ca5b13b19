#pragma once
// Possible states of a disk after a power failure, computed from the preceding operations.

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gpubench::test {

/// An entry of the fault injector's log: "open FD PATH", "write FD SIZE" followed by the bytes, "sync FD 0",
/// "rename LENGTH FROMTO", "unlink 0 PATH", "close FD 0".
struct Operation {
  std::string what;
  std::size_t number = 0;  ///< Descriptor, or length of the first path.
  std::string text = {};   ///< Path or bytes.
};

std::vector<Operation> read_log(const std::filesystem::path& path);

/// Files of one folder. A file consists of its synced content and of later writes, of which a power failure
/// may keep any subset. A name is durable when the folder is synced. Changes of names keep their order: a
/// power failure never keeps a change without the earlier ones.
class Disk {
 public:
  void apply(const Operation& operation);

  /// Returns a possible state after a power failure now: content by name.
  std::map<std::string, std::string> after_power_failure(std::mt19937& random) const;
  /// Returns the synced content of files with synced names, which survives every power failure.
  std::map<std::string, std::string> survivors() const;

 private:
  struct Write {
    std::size_t place = 0;
    std::string bytes = {};
  };
  struct File {
    std::string synced;
    std::vector<Write> since;
  };
  using FilePointer = std::shared_ptr<File>;
  using Names = std::map<std::string, FilePointer>;
  struct Opened {
    FilePointer file;  // Null for a folder.
    std::size_t place = 0;
  };

  void open(std::size_t descriptor, const std::string& name);
  void write(Opened& opened, const std::string& bytes);
  void sync(const Opened& opened);
  static void make(const Write& write, std::string& content);
  static std::string content_after_failure(const File& file, std::mt19937& random);

  std::map<std::size_t, Opened> open_;
  std::vector<Names> names_ = {Names()};  // Synced names, and the names after each later change.
};

}  // namespace gpubench::test
