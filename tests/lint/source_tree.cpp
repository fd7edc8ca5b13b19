#include "lint/source_tree.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

namespace gpubench::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContracts = "include/gpubench/";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_contract(const std::string& file) {
  return file.starts_with(kContracts) && file.find('/', std::string(kContracts).size()) == std::string::npos;
}

/// The file without its folder of headers and without its ending: what a header and its source have in
/// common.
std::string stem_of(std::string file) {
  for (const std::string folder : {"include/gpubench/", "src/"}) {
    if (file.starts_with(folder)) file.erase(0, folder.size());
  }
  return file.substr(0, file.rfind('.'));
}

std::string folder_of(const std::string& file) {
  const std::string stem = stem_of(file);
  return stem.substr(0, stem.rfind('/'));
}

std::string family_of(const std::string& folder) { return folder.substr(0, folder.find('/')); }

/// The words after NEEDS, up to the next word in capitals, in each call of gpubench_folder().
std::set<std::string> needs_in(const std::string& text) {
  std::set<std::string> needs;
  for (std::size_t call = 0; (call = text.find("gpubench_folder(", call)) != std::string::npos; ++call) {
    std::istringstream words(text.substr(call, text.find(')', call) - call));
    bool is_need = false;
    for (std::string word; words >> word;) {
      word.erase(0, word.find('(') == std::string::npos ? 0 : word.find('(') + 1);
      const bool is_keyword =
          std::all_of(word.begin(), word.end(), [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
      if (is_keyword) is_need = word == "NEEDS";
      if (!is_keyword && is_need) needs.insert(word);
    }
  }
  return needs;
}

/// Tarjan's strongly connected components of more than one node.
class Circles {
 public:
  using Graph = std::map<std::string, std::set<std::string>>;
  explicit Circles(const Graph& graph) : graph_(graph) {
    for (const auto& [node, ignored] : graph) {
      if (!index_.contains(node)) visit(node);
    }
  }
  const std::vector<std::string>& found() const { return found_; }

 private:
  void visit(const std::string& node) {
    const std::size_t own = index_.size();
    index_[node] = lowest_[node] = own;
    stack_.push_back(node);
    if (graph_.contains(node)) {
      for (const std::string& next : graph_.at(node)) {
        if (!index_.contains(next)) visit(next);
        if (is_open(next)) lowest_[node] = std::min(lowest_[node], lowest_[next]);
      }
    }
    if (lowest_[node] == own) close(node);
  }
  bool is_open(const std::string& node) const {
    return std::find(stack_.begin(), stack_.end(), node) != stack_.end();
  }
  void close(const std::string& node) {
    const auto first = std::find(stack_.begin(), stack_.end(), node);
    std::string line;
    for (auto member = first; member != stack_.end(); ++member)
      line += (line.empty() ? "" : " <-> ") + *member;
    if (stack_.end() - first > 1) found_.push_back(line);
    stack_.erase(first, stack_.end());
  }

  const Graph& graph_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, std::size_t> lowest_;
  std::vector<std::string> stack_;
  std::vector<std::string> found_;
};

}  // namespace

SourceTree::SourceTree(const fs::path& root) {
  for (const char* top : {"include", "src", "models"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".h" || ending == ".cpp")
        files_.insert(fs::relative(entry.path(), root).generic_string());
    }
  }
  read_needs(root);
  for (const std::string& file : files_) read_includes(root, file);
}

void SourceTree::read_needs(const fs::path& root) {
  for (const std::string& file : files_) {
    const fs::path folder = fs::path(file).parent_path();
    const std::string text = text_of(root / folder / "CMakeLists.txt");
    if (text.find("gpubench_folder(") == std::string::npos) continue;
    needs_[folder_of(file)] = needs_in(text);
    if (!fs::exists(root / folder / "catalog.def")) continue;
    std::string& header = plug_in_headers_[folder_of(file)];
    const std::string keyword = "ENTRIES ";
    const std::size_t found = text.find(keyword);
    if (found != std::string::npos) std::istringstream(text.substr(found + keyword.size())) >> header;
  }
}

void SourceTree::read_includes(const fs::path& root, const std::string& file) {
  std::istringstream lines(text_of(root / file));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::string name = line.substr(10, line.find('"', 10) - 10);
    for (const char* base : {"include/", "src/", "models/"}) {
      if (files_.contains(base + name)) includes_.push_back({file, base + name});
    }
  }
}

std::vector<std::string> SourceTree::includes_without_need() const {
  std::vector<std::string> lines;
  for (const auto& [from, to] : includes_) {
    const std::string own = folder_of(from);
    if (is_contract(to) || is_contract(from) || own == folder_of(to)) continue;
    // A header of include/gpubench may lie above the folder that has its source: those of core are read
    // together.
    const auto needs = needs_.find(own);
    if (needs == needs_.end() ? from.starts_with("include/") : needs->second.contains(folder_of(to)))
      continue;
    lines.push_back(from + " includes " + to + ", but src/" + own + "/CMakeLists.txt has no NEEDS " +
                    folder_of(to));
  }
  return lines;
}

std::set<std::string> SourceTree::contracts_of(const std::string& family) const {
  std::set<std::string> reached;
  const std::function<void(const std::string&)> follow = [&](const std::string& file) {
    for (const auto& [from, to] : includes_) {
      if (from == file && is_contract(to) && reached.insert(to).second) follow(to);
    }
  };
  const std::string header = "include/" + plug_in_headers_.at(family);
  if (is_contract(header)) {
    reached.insert(header);
    follow(header);
  }
  return reached;
}

std::vector<std::string> SourceTree::foreign_contracts() const {
  std::map<std::string, std::set<std::string>> owned;
  std::set<std::string> all;
  for (const auto& [family, header] : plug_in_headers_) {
    owned[family] = contracts_of(family);
    all.insert(owned[family].begin(), owned[family].end());
  }
  std::vector<std::string> lines;
  for (const auto& [from, to] : includes_) {
    const auto family = owned.find(family_of(folder_of(from)));
    if (family == owned.end() || !all.contains(to) || family->second.contains(to)) continue;
    lines.push_back(from + " includes " + to + ", which is the contract of another family of plug-ins");
  }
  return lines;
}

std::vector<std::string> SourceTree::circles() const {
  Circles::Graph graph;
  for (const auto& [from, to] : includes_) {
    if (stem_of(from) != stem_of(to)) graph[stem_of(from)].insert(stem_of(to));
  }
  return Circles(graph).found();
}

std::vector<std::string> SourceTree::crowded_folders(std::size_t most) const {
  std::map<std::string, std::size_t> counts;
  for (const std::string& file : files_) ++counts[fs::path(file).parent_path().generic_string()];
  std::vector<std::string> lines;
  for (const auto& [folder, count] : counts) {
    const std::string name = folder.starts_with("src/") ? folder.substr(4) : folder;
    if (count > most && !plug_in_headers_.contains(name)) {
      lines.push_back(folder + " has " + std::to_string(count) + " files, of at most " +
                      std::to_string(most));
    }
  }
  return lines;
}

}  // namespace gpubench::test
