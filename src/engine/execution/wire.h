#pragma once
// Plain structures as JSON between processes. `parts(visit, value)`, a function of each structure, names
// every member once: it is visited to write and to read alike. It and the names_of() of an enumeration are
// found by their argument, so they are not in a namespace without a name. A reader throws some exception for
// what is no such object.

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "gpubench/record/names.h"
#include "record/document/record_json.h"

namespace gpubench {

/// `value` of a function that takes a structure to read it or, constant, to write it.
template <class T, class Structure>
concept Like = std::same_as<std::remove_const_t<T>, Structure>;

// Rows and environments are written by their field tables.
inline void from_json(const Json& json, CaseRecord& row) { row = case_from_json(json); }
inline void from_json(const Json& json, OpRecord& row) { row = op_from_json(json); }
inline void from_json(const Json& json, Environment& environment) {
  environment = environment_from_json(json);
}

// How a value is written, and read.
template <class T>
Json wire_json(const T& value);
template <class T>
Json wire_json(const Reading<T>& reading);
template <class T>
Json wire_json(const std::optional<T>& value);
template <class T>
Json wire_json(const std::vector<T>& values);
Json wire_json(const NamedValues& values);
template <class T>
void read_wire(const Json& json, T& value);
template <class T>
void read_wire(const Json& json, Reading<T>& reading);
template <class T>
void read_wire(const Json& json, std::optional<T>& value);
template <class T>
void read_wire(const Json& json, std::vector<T>& values);
void read_wire(const Json& json, NamedValues& values);

class WireWriter {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    object[key] = wire_json(value);
  }
  Json object = Json::object();
};

class WireReader {
 public:
  explicit WireReader(const Json& object) : object_(object) {}
  template <class T>
  void operator()(const char* key, T& value) {
    read_wire(object_.at(key), value);
  }

 private:
  const Json& object_;
};

// A reading is its value, or its reason in an object.
template <class T>
Json wire_json(const Reading<T>& reading) {
  return reading.has_value() ? wire_json(reading.value()) : Json{{"absent", reading.reason()}};
}
template <class T>
void read_wire(const Json& json, Reading<T>& reading) {
  if (json.is_object()) return void(reading = absent(json.at("absent").get<std::string>()));
  T value{};
  read_wire(json, value);
  reading = value;
}

template <class T>
Json wire_json(const std::optional<T>& value) {
  return value ? wire_json(*value) : Json(nullptr);
}
template <class T>
void read_wire(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) read_wire(json, value.emplace());
}

template <class T>
Json wire_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(wire_json(value));
  return list;
}
template <class T>
void read_wire(const Json& json, std::vector<T>& values) {
  values.clear();
  for (const Json& value : json) read_wire(value, values.emplace_back());
}

// A figure that is no number is null in JSON.
inline Json wire_json(const NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}
inline void read_wire(const Json& json, NamedValues& values) {
  values.clear();
  for (const auto& [name, value] : json.items()) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    values.emplace_back(name, value.is_null() ? kNone : value.template get<double>());
  }
}

template <class T>
Json wire_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return names_of(value).name_of(value);
  } else if constexpr (requires(WireWriter & writer) { parts(writer, value); }) {
    WireWriter writer;
    parts(writer, value);
    return std::move(writer.object);
  } else if constexpr (requires { value.value; }) {
    return value.value;  // A quantity, in its unit.
  } else if constexpr (std::derived_from<T, RowRecord> || std::same_as<T, Environment>) {
    return to_json(value);
  } else {
    return value;
  }
}

template <class T>
void read_wire(const Json& json, T& value) {
  if constexpr (std::is_enum_v<T>) {
    value = names_of(T{}).value_of(json.get<std::string>(), ErrorKind::kData);
  } else if constexpr (requires(WireReader & reader) { parts(reader, value); }) {
    WireReader reader(json);
    parts(reader, value);
  } else if constexpr (requires { value.value; }) {
    value.value = json.get<decltype(value.value)>();
  } else if constexpr (std::derived_from<T, RowRecord> || std::same_as<T, Environment>) {
    from_json(json, value);
  } else {
    value = json.get<T>();
  }
}

}  // namespace gpubench
