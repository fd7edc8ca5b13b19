#pragma once
// Messages between processes as lines: a JSON object each, whose tag says which alternative of a variant it
// is. `Kinds` has the key of the tag, kTag, and the names of the alternatives in their order, kNames.

#include <string>
#include <variant>

#include "engine/execution/wire.h"
#include "record/document/document_file.h"

namespace gpubench {

template <class Kinds, class Message>
std::string tagged_line(const Message& message) {
  static_assert(std::size(Kinds::kNames) == std::variant_size_v<Message>);
  Json json{{Kinds::kTag, Kinds::kNames[message.index()]}};
  json.update(std::visit([](const auto& alternative) { return wire_json(alternative); }, message));
  return json_text(json);
}

/// The alternative of that name.
template <class Kinds, class Message, std::size_t kIndex = 0>
Message alternative_in(const std::string& name, const Json& json) {
  if constexpr (kIndex == std::variant_size_v<Message>) {
    throw Error(ErrorKind::kData, "an unknown name");
  } else {
    if (name != Kinds::kNames[kIndex]) return alternative_in<Kinds, Message, kIndex + 1>(name, json);
    std::variant_alternative_t<kIndex, Message> alternative;
    read_wire(json, alternative);
    return alternative;
  }
}

/// Throws a data Error for what is no such message.
template <class Kinds, class Message>
Message message_in(const std::string& line) {
  const std::string tag = Kinds::kTag;
  try {
    const Json json = parse_document(line);
    return alternative_in<Kinds, Message>(json.at(tag).template get<std::string>(), json);
  } catch (const std::exception&) {
    throw Error(ErrorKind::kData, "'" + line.substr(0, 80) + "' is no " + tag);
  }
}

}  // namespace gpubench
