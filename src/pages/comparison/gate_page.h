#pragma once
// What a gate says, for people.

#include "compare/gate_report.h"
#include "gpubench/record/page.h"

namespace gpubench {

Page gate_page(const Comparison& comparison, const GateReport& report);

}  // namespace gpubench
