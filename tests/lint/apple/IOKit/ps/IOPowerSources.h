#pragma once

using CFTimeInterval = double;
#define kIOPSTimeRemainingUnlimited (static_cast<CFTimeInterval>(-2.0))

extern "C" CFTimeInterval IOPSGetTimeRemainingEstimate();
