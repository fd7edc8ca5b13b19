#include "disk.h"

#include <algorithm>
#include <fstream>

namespace gpubench::test {

namespace fs = std::filesystem;

std::vector<Operation> read_log(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<Operation> operations;
  for (Operation next; in >> next.what >> next.number && in.get() == ' ' && std::getline(in, next.text);) {
    if (next.what == "write") {
      std::string bytes(std::stoul(next.text), '\0');
      in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      next.text = std::move(bytes);
    }
    operations.push_back(std::move(next));
  }
  return operations;
}

void Disk::apply(const Operation& operation) {
  if (operation.what == "open") return open(operation.number, operation.text);
  if (operation.what == "rename" || operation.what == "unlink") {
    Names names = names_.back();
    const bool is_rename = operation.what == "rename";
    const std::string from = operation.text.substr(0, is_rename ? operation.number : std::string::npos);
    const auto found = names.find(from);
    if (found == names.end()) return;
    if (is_rename) names[operation.text.substr(operation.number)] = found->second;
    names.erase(from);
    return names_.push_back(std::move(names));
  }
  const auto opened = open_.find(operation.number);
  if (opened == open_.end()) return;
  if (operation.what == "close") return void(open_.erase(opened));
  if (operation.what == "sync") return sync(opened->second);
  if (operation.what == "write") write(opened->second, operation.text);
}

/// Ignores files outside the folder; "." is the folder itself.
void Disk::open(std::size_t descriptor, const std::string& name) {
  open_.erase(descriptor);
  if (name == ".") open_[descriptor] = {};
  if (name.find('/') != std::string::npos || name == ".") return;
  Names names = names_.back();
  FilePointer& file = names[name];
  const bool is_new = file == nullptr;
  if (is_new) file = std::make_shared<File>();
  open_[descriptor] = {file};
  if (is_new) names_.push_back(std::move(names));
}

void Disk::write(Opened& opened, const std::string& bytes) {
  if (opened.file == nullptr) return;
  opened.file->since.push_back({opened.place, bytes});
  opened.place += bytes.size();
}

void Disk::sync(const Opened& opened) {
  if (opened.file == nullptr) return void(names_.erase(names_.begin(), names_.end() - 1));
  for (const Write& write : opened.file->since) make(write, opened.file->synced);
  opened.file->since.clear();
}

void Disk::make(const Write& write, std::string& content) {
  // Unwritten blocks read as zeros.
  content.resize(std::max(content.size(), write.place + write.bytes.size()));
  content.replace(write.place, write.bytes.size(), write.bytes);
}

/// Keeps each write completely, partly or not at all.
std::string Disk::content_after_failure(const File& file, std::mt19937& random) {
  std::string content = file.synced;
  const bool keeps_order = random() % 2 == 0;
  const std::size_t last = file.since.empty() ? 0 : random() % (file.since.size() + 1);
  for (std::size_t i = 0; i < file.since.size(); ++i) {
    Write write = file.since[i];
    const bool is_kept = keeps_order ? i < last : random() % 2 == 0;
    const bool is_torn = keeps_order ? i == last : random() % 4 == 0;
    if (!is_kept && !is_torn) continue;
    if (is_torn) write.bytes.resize(random() % (write.bytes.size() + 1));
    make(write, content);
  }
  return content;
}

std::map<std::string, std::string> Disk::after_power_failure(std::mt19937& random) const {
  std::map<std::string, std::string> state;
  for (const auto& [name, file] : names_[random() % names_.size()])
    state[name] = content_after_failure(*file, random);
  return state;
}

std::map<std::string, std::string> Disk::survivors() const {
  std::map<std::string, std::string> state;
  for (const auto& [name, file] : names_.front()) state[name] = file->synced;
  return state;
}

}  // namespace gpubench::test
