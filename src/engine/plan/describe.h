#pragma once
// The part of a row that is known before anything runs. No LibTorch.

#include "engine/plan/plan.h"
#include "gpubench/record/row_identity.h"

namespace gpubench {

/// What a row tells of its data, before it is arranged for a model.
struct DataFacts {
  SplitSizes sizes;
  bool is_synthetic = false;
  DataSpec spec = {};
};

DataFacts make_facts(const Dataset& dataset);

/// The samples of each split that the case uses.
SplitSizes used_sizes(const Case& c, const DataFacts& data);

/// A row with all that was asked for, and nothing yet of what happened.
CaseRecord describe(const Case& c, const DataFacts& data);

/// "cnn", with its sizes in brackets where the model has any.
std::string model_text(const Case& c);

/// Of the row that it becomes, the samples of an epoch apart, which the data tells.
RowIdentity make_identity(const Case& c);

}  // namespace gpubench
