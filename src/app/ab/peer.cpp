#include "app/ab/peer.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "gpubench/core/error.h"
#include "gpubench/core/text/plain_text.h"
#include "record/document/document_file.h"

namespace gpubench {
namespace {

Json last_object(std::string_view printed) {
  Json last;
  if (Json::accept(printed)) last = parse_document(printed);
  if (last.is_object()) return last;
  std::istringstream lines{std::string(printed)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string::npos && line[start] == '{' && Json::accept(line)) last = parse_document(line);
  }
  if (last.is_object()) return last;
  constexpr std::size_t kShown = 60;
  const std::string shown = plain_text(printed.substr(0, std::min(kShown, printed.find('\n'))));
  throw Error(ErrorKind::kData, "the command printed no JSON{}",
              shown.empty() ? "" : "; output began: " + shown);
}

double checked(const Json& value, const std::string& place) {
  const double number = value.is_number() ? value.get<double>() : 0;
  if (std::isfinite(number) && number > 0) return number;
  throw Error(ErrorKind::kData, "{} in its output is no number above 0", place);
}

double number_at(const Json& object, const std::string& pointer) {
  try {
    const Json::json_pointer place(pointer);
    if (object.contains(place)) return checked(object.at(place), pointer);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage, "{}: is no JSON pointer ({})", pointer, error.what());
  }
  throw Error(ErrorKind::kData, "its output has no {}", pointer);
}

PeerFigure usual_figure(const Json& object) {
  for (const std::string key : {"samples_per_second", "images_per_s"}) {
    if (object.contains(key)) return {checked(object.at(key), key)};
  }
  const std::string key = "epoch_seconds";
  const Json epochs = object.value(key, Json::array());
  PeerFigure figure;
  for (const Json& epoch : epochs) figure.epoch_seconds.push_back(checked(epoch, key));
  if (!figure.epoch_seconds.empty()) return figure;
  throw Error(ErrorKind::kData, "its output has neither samples_per_second, images_per_s nor {}", key);
}

}  // namespace

PeerFigure peer_figure(std::string_view printed, const Side& side, Seconds wall) {
  if (side.seconds == "wall") return {0, {wall.value}};
  const Json object = last_object(printed);
  if (!side.seconds.empty()) return {0, {number_at(object, side.seconds)}};
  if (!side.figure.empty()) return {number_at(object, side.figure)};
  return usual_figure(object);
}

std::vector<double> epochs_of(const PeerFigure& figure, std::int64_t samples) {
  if (!figure.epoch_seconds.empty()) return figure.epoch_seconds;
  return {static_cast<double>(samples) / figure.samples_per_second};
}

}  // namespace gpubench
