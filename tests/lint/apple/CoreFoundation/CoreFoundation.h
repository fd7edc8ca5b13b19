#pragma once
// As much of Apple's header as gpubench uses, so that its sources for macOS can be compiled elsewhere: types
// as on macOS, functions without bodies. The other files of this folder are likewise.

#include <cstdint>

using Boolean = unsigned char;
using CFIndex = long;
using CFTypeID = unsigned long;
using CFStringEncoding = std::uint32_t;
using CFTypeRef = const void*;
using CFAllocatorRef = const struct __CFAllocator*;
using CFArrayRef = const struct __CFArray*;
using CFMutableArrayRef = struct __CFArray*;
using CFDictionaryRef = const struct __CFDictionary*;
using CFMutableDictionaryRef = struct __CFDictionary*;
using CFNumberRef = const struct __CFNumber*;
using CFStringRef = const struct __CFString*;
using CFNumberType = CFIndex;
struct CFArrayCallBacks;

extern "C" {
extern const CFAllocatorRef kCFAllocatorDefault;
extern const CFArrayCallBacks kCFTypeArrayCallBacks;
constexpr CFStringEncoding kCFStringEncodingUTF8 = 0x08000100;
constexpr CFNumberType kCFNumberSInt64Type = 4;

void CFRelease(CFTypeRef);
CFTypeID CFGetTypeID(CFTypeRef);
CFStringRef gpubench_cf_string(const char*);
Boolean CFStringGetCString(CFStringRef, char*, CFIndex, CFStringEncoding);
CFTypeID CFNumberGetTypeID();
Boolean CFNumberGetValue(CFNumberRef, CFNumberType, void*);
const void* CFDictionaryGetValue(CFDictionaryRef, const void*);
CFMutableDictionaryRef CFDictionaryCreateMutableCopy(CFAllocatorRef, CFIndex, CFDictionaryRef);
void CFDictionarySetValue(CFMutableDictionaryRef, const void*, const void*);
CFIndex CFArrayGetCount(CFArrayRef);
const void* CFArrayGetValueAtIndex(CFArrayRef, CFIndex);
CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef, CFIndex, const CFArrayCallBacks*);
void CFArrayAppendValue(CFMutableArrayRef, const void*);
}

#define CFSTR(text) gpubench_cf_string("" text)
