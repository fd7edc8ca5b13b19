#pragma once

#include <CoreFoundation/CoreFoundation.h>
#include <mach/mach.h>

using io_object_t = mach_port_t;
using io_service_t = io_object_t;
using io_registry_entry_t = io_object_t;
using IOOptionBits = std::uint32_t;
using IOReturn = kern_return_t;

constexpr IOReturn kIOReturnSuccess = 0;
constexpr io_object_t IO_OBJECT_NULL = 0;

extern "C" {
extern const mach_port_t kIOMainPortDefault;
CFMutableDictionaryRef IOServiceMatching(const char*);
io_service_t IOServiceGetMatchingService(mach_port_t, CFDictionaryRef);
CFTypeRef IORegistryEntryCreateCFProperty(io_registry_entry_t, CFStringRef, CFAllocatorRef, IOOptionBits);
kern_return_t IOObjectRelease(io_object_t);
}
