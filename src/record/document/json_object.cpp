#include "record/document/json_object.h"

#include <cmath>

namespace gpubench {
namespace {

struct Writer {
  Json operator()(const Absent& /*why*/) const { return nullptr; }
  Json operator()(double number) const { return std::isfinite(number) ? Json(number) : Json(); }
  Json operator()(const std::vector<double>& numbers) const {
    Json list = Json::array();
    for (const double number : numbers) list.push_back((*this)(number));
    return list;
  }
  Json operator()(const std::vector<Phase>& phases) const { return list_of(phase_fields(), phases); }
  Json operator()(const std::vector<Warning>& warnings) const { return list_of(warning_fields(), warnings); }
  Json operator()(const NamedValues& values) const { return named(values); }
  Json operator()(const NamedSeries& series) const { return named(series); }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }

  template <class Named>
  Json named(const Named& items) const {
    Json object = Json::object();
    for (const auto& [name, value] : items) object[name] = (*this)(value);
    return object;
  }
};

/// Whether all `size` fields of the absence's group are absent for its reason.
bool is_of_all(const Absence& absence, const std::vector<Absence>& absences, std::size_t size) {
  const auto is_same = [&](const Absence& other) {
    return other.group == absence.group && other.reason == absence.reason;
  };
  return static_cast<std::size_t>(std::count_if(absences.begin(), absences.end(), is_same)) == size;
}

}  // namespace

Json json_value(const FieldValue& value) { return std::visit(Writer(), value); }

std::string reason_of(const FieldValue& value) {
  const Absent* why = std::get_if<Absent>(&value);
  return why != nullptr ? why->reason : "not a finite number";
}

Json reasons_json(const std::vector<Absence>& absences,
                  const std::function<std::size_t(const std::string&)>& size_of) {
  Json reasons = Json::object();
  for (const Absence& absence : absences) {
    const bool is_group = !absence.group.empty() && is_of_all(absence, absences, size_of(absence.group));
    reasons[is_group ? absence.group : absence.key] = absence.reason;
  }
  return reasons;
}

}  // namespace gpubench
