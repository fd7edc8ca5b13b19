#include "report/json_object.h"

#include <cmath>

namespace gpubench {

void put(Json& object, const std::string& key, const Absent& why) {
  object[key] = nullptr;
  object[key + "_reason"] = why.reason;
}

void put(Json& object, const std::string& key, double number) {
  if (!std::isfinite(number)) return put(object, key, absent("not a finite number"));
  object[key] = number;
}

void put(Json& object, const std::string& key, const std::vector<double>& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(std::isfinite(number) ? Json(number) : Json());
  object[key] = std::move(list);
}

void put(Json& object, const std::string& key, const std::vector<Phase>& phases) {
  object[key] = list_of(phase_fields(), phases);
}

void put(Json& object, const std::string& key, const NamedValues& values) {
  object[key] = named_json(values);
}

void put(Json& object, const std::string& key, const NamedSeries& series) {
  object[key] = named_json(series);
}

void put(Json& object, const std::string& key, const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const Warning& warning : warnings) list.push_back(warning.text);
  object[key] = std::move(list);
}

}  // namespace gpubench
