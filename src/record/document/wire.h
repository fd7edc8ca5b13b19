#pragma once
// Plain structures as JSON messages. `parts(visit, value)` lists the members, for writing and reading. Lookup
// is argument-dependent, so it must not be in an anonymous namespace. Readers throw for invalid JSON.

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpubench/core/error.h"
#include "gpubench/record/names.h"
#include "record/document/record_json.h"
#include "record/record_parts.h"

namespace gpubench {

/// Defines parts() of a structure whose keys are the names of its members.
#define GPUBENCH_PART(member) visit(#member, value.member);
#define GPUBENCH_PARTS(Structure, ...)                                    \
  static void parts(auto& visit, Like<Structure> auto& value) {           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(GPUBENCH_PART, __VA_ARGS__)) \
  }

template <class T, template <class...> class Template>
inline constexpr bool kIsA = false;
template <template <class...> class Template, class... Parts>
inline constexpr bool kIsA<Template<Parts...>, Template> = true;

template <class T>
Json wire_json(const T& value);
template <class T>
void read_wire(const Json& json, T& value);

/// Returns a whole number. nlohmann_json would truncate fractions and large numbers silently.
template <std::integral Whole>
Whole whole_number(const Json& json) {
  const bool fits = json.is_number_unsigned()
                        ? std::in_range<Whole>(json.get<std::uint64_t>())
                        : json.is_number_integer() && std::in_range<Whole>(json.get<std::int64_t>());
  if (!fits) throw Error(ErrorKind::kData, "{} is not a whole number in range", json_text(json));
  return json.get<Whole>();
}

/// A structure with parts(), whose declaration accepts any visitor.
template <class T>
concept HasParts = requires(T& value, const int visit) {
  parts(visit, value);
};

/// Converts a value. A missing value becomes an object with its reason; NaN and infinity become null.
template <class T>
Json wire_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (kIsA<T, Measured>) {
    return value.has_value() ? wire_json(value.value()) : Json{{"absent", value.reason()}};
  } else if constexpr (kIsA<T, std::optional>) {
    return value ? wire_json(*value) : Json(nullptr);
  } else if constexpr (std::same_as<T, NamedValues>) {
    Json object = Json::object();
    for (const auto& [name, figure] : value) object[name] = figure;
    return object;
  } else if constexpr (kIsA<T, std::vector>) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(wire_json(item));
    return list;
  } else if constexpr (HasParts<const T>) {
    Json object = Json::object();
    const auto write = [&](const char* key, const auto& part) { object[key] = wire_json(part); };
    parts(write, value);
    return object;
  } else if constexpr (requires { value.value; }) {
    return value.value;  // A quantity.
  } else if constexpr (std::derived_from<T, RowRecord> || std::same_as<T, Result>) {
    return raw_json(value);
  } else if constexpr (requires { to_json(value); }) {
    return to_json(value);  // By its field table.
  } else {
    return value;
  }
}

template <class T>
void read_wire(const Json& json, T& value) {
  if constexpr (std::is_enum_v<T>) {
    value = value_named<T>(json.get<std::string>(), ErrorKind::kData);
  } else if constexpr (kIsA<T, Measured>) {
    if (json.is_object()) return void(value = missing(json.at("absent").get<std::string>()));
    std::decay_t<decltype(value.value())> present{};
    read_wire(json, present);
    value = present;
  } else if constexpr (kIsA<T, std::optional>) {
    value.reset();
    if (!json.is_null()) read_wire(json, value.emplace());
  } else if constexpr (std::same_as<T, NamedValues>) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    value.clear();
    for (const auto& [name, figure] : json.items())
      value.emplace_back(name, figure.is_null() ? kNone : figure.template get<double>());
  } else if constexpr (kIsA<T, std::vector>) {
    value.clear();
    for (const Json& item : json) read_wire(item, value.emplace_back());
  } else if constexpr (HasParts<T>) {
    const auto read = [&](const char* key, auto& part) { read_wire(json.at(key), part); };
    parts(read, value);
  } else if constexpr (std::same_as<T, Result>) {
    value = result_from_json(json);
  } else if constexpr (requires { value.value; }) {
    read_wire(json, value.value);
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    value = whole_number<T>(json);
  } else {
    value = json.get<T>();
  }
}

GPUBENCH_PARTS(Phase, name, start, duration)
GPUBENCH_PARTS(EpochRecord, phases, duration, block_seconds, training, steps, samples, host, device,
               input_wait, validation, validation_figures, communication, rank_busy_seconds)

}  // namespace gpubench
