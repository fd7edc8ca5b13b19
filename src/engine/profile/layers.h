#pragma once
// To which kind of layer each operation of a profile belongs, by what surrounds it or made it too.

#include <string_view>
#include <vector>

#include "engine/profile/event.h"
#include "engine/profile/nesting.h"

namespace gpubench {

/// For each event its kind, one of layer_kinds(); means nothing for those that are no operations. What has no
/// kind by its name has that of what it lies in. Inside of composite layers everything is theirs, as is the
/// backward pass of it.
std::vector<std::string_view> operation_kinds(const std::vector<ProfileEvent>& events,
                                              const Nesting& nesting);

}  // namespace gpubench
