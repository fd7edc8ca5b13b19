// Messages between supervisor and worker, one per line.

#include "engine/isolation/messages.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"
#include "gpubench/model_catalog.h"

namespace gpubench::fuzz {
namespace {

const Catalog<ModelEntry>& known_models() {
  static const Catalog<ModelEntry> models(
      "model",
      {{"cnn", "", "cnn", {Task::kClassification, {1, 28, 28}, 10}, "image", nullptr},
       {"lm", "", "lm", {Task::kLanguage, {35}, 33'278}, "token", nullptr, {{"layers", "", 2, 1, 96}}}});
  return models;
}

void read_work(const Request& request) {
  // Usage errors are valid, because another version may have other datasets or models.
  if (const auto* const asked = std::get_if<RowRequest>(&request)) {
    accepts({ErrorKind::kData, ErrorKind::kUsage}, [&] {
      const Json json = to_json(work_from_json(asked->work, known_models(), datasets()));
      require(to_json(work_from_json(json, known_models(), datasets())) == json,
              "work survives a round trip");
    });
  }
}

void read_line(const std::string& line) {
  accepts([&] {
    const Request request = request_from(line);
    const std::string text = to_line(request);
    require(to_line(request_from(text)) == text, "a request survives a round trip");
    read_work(request);
  });
  accepts([&] {
    const std::string text = to_line(reply_from(line));
    require(to_line(reply_from(text)) == text, "a reply survives a round trip");
  });
}

void read(std::string_view input) {
  for (const std::string& line : list_lines(input)) read_line(line);
}

}  // namespace

Target entry_message() { return {Shape::kJsonLines, read}; }

}  // namespace gpubench::fuzz
