#pragma once

#include <IOKit/IOKitLib.h>

using IOPMAssertionID = std::uint32_t;
using IOPMAssertionLevel = std::uint32_t;

enum { kIOPMNullAssertionID = 0 };
enum { kIOPMAssertionLevelOn = 255 };
#define kIOPMAssertionTypePreventUserIdleSystemSleep CFSTR("PreventUserIdleSystemSleep")

extern "C" {
IOReturn IOPMAssertionCreateWithName(CFStringRef, IOPMAssertionLevel, CFStringRef, IOPMAssertionID*);
IOReturn IOPMAssertionRelease(IOPMAssertionID);
}
