#pragma once
// Training grids from texts, as on the command line.

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/text/quantities.h"
#include "gpubench/record/parameter.h"

namespace gpubench::test {

using Words = std::initializer_list<std::pair<const char*, const char*>>;

/// Returns the grid of e.g. `{{"model", "mlp"}, {"batch_size", "32,128"}}`.
inline TrainGrid make_grid(Words values) {
  TrainGrid grid;
  for (const auto& [key, text] : values) {
    const Parameter<TrainPoint>& parameter = *train_parameters().find(key);
    std::vector<std::string> words{text};
    if (parameter.use.span == Span::kList) {
      words.clear();
      for (const std::string_view word : split_fields(text, ',')) words.emplace_back(word);
    }
    grid.set(parameter, words, parameter.use.option);
  }
  return grid;
}

inline std::vector<TrainPoint> points(Words values) { return make_grid(values).points(); }

}  // namespace gpubench::test
