// Stub of the Apple headers that gpubench uses, to compile its macOS sources on Linux: the types of macOS and
// declarations of functions. tests/lint/apple_test.sh includes it before each source.

#include <fcntl.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

// CoreFoundation
using Boolean = unsigned char;
using CFIndex = long;
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
extern "C" const CFAllocatorRef kCFAllocatorDefault;
extern "C" const CFArrayCallBacks kCFTypeArrayCallBacks;
constexpr CFStringEncoding kCFStringEncodingUTF8 = 0x08000100;
constexpr CFNumberType kCFNumberSInt64Type = 4;
#define CFSTR(text) gpubench_cf_string("" text)

// sys/mount.h
struct statfs {
  std::uint32_t f_flags;
  char f_fstypename[16];
};
extern "C" int statfs(const char* path, struct statfs* facts);
#define MNT_LOCAL 0x00001000

// mach
using natural_t = unsigned int;
using integer_t = int;
using kern_return_t = int;
using mach_port_t = natural_t;
using host_t = mach_port_t;
using mach_msg_type_number_t = natural_t;
using vm_size_t = std::uintptr_t;
using host_info_t = integer_t*;
using host_info64_t = integer_t*;
using task_info_t = integer_t*;
constexpr kern_return_t KERN_SUCCESS = 0;
enum { CPU_STATE_USER, CPU_STATE_SYSTEM, CPU_STATE_IDLE, CPU_STATE_NICE, CPU_STATE_MAX };
enum { HOST_CPU_LOAD_INFO = 3, HOST_VM_INFO64 = 4, MACH_TASK_BASIC_INFO = 20 };
struct host_cpu_load_info_data_t {
  natural_t cpu_ticks[CPU_STATE_MAX];
};
struct vm_statistics64_data_t {
  natural_t free_count, active_count, inactive_count, wire_count;
};
struct mach_task_basic_info_data_t {
  std::uint64_t virtual_size, resident_size, resident_size_max;
};
#define HOST_CPU_LOAD_INFO_COUNT static_cast<mach_msg_type_number_t>(4)
#define HOST_VM_INFO64_COUNT static_cast<mach_msg_type_number_t>(4)
#define MACH_TASK_BASIC_INFO_COUNT static_cast<mach_msg_type_number_t>(6)

// IOKit
using io_object_t = mach_port_t;
using io_service_t = io_object_t;
using io_registry_entry_t = io_object_t;
using IOOptionBits = std::uint32_t;
using IOReturn = kern_return_t;
using CFTimeInterval = double;
using IOPMAssertionID = std::uint32_t;
using IOPMAssertionLevel = std::uint32_t;
constexpr IOReturn kIOReturnSuccess = 0;
constexpr io_object_t IO_OBJECT_NULL = 0;
extern "C" const mach_port_t kIOMainPortDefault;
enum { kIOPMNullAssertionID = 0, kIOPMAssertionLevelOn = 255 };
#define kIOPSTimeRemainingUnlimited (static_cast<CFTimeInterval>(-2.0))
#define kIOPMAssertionTypePreventUserIdleSystemSleep CFSTR("PreventUserIdleSystemSleep")

// Others. Linux clocks replace the macOS ones.
using Class = struct objc_class*;
using id = struct objc_object*;
using SEL = struct objc_selector*;
using BOOL = bool;
constexpr std::uint32_t NOTIFY_STATUS_OK = 0;
#define F_FULLFSYNC 51
#define CLOCK_UPTIME_RAW CLOCK_MONOTONIC

extern "C" {
void CFRelease(CFTypeRef);
CFStringRef gpubench_cf_string(const char*);
Boolean CFStringGetCString(CFStringRef, char*, CFIndex, CFStringEncoding);
Boolean CFNumberGetValue(CFNumberRef, CFNumberType, void*);
const void* CFDictionaryGetValue(CFDictionaryRef, const void*);
CFMutableDictionaryRef CFDictionaryCreateMutableCopy(CFAllocatorRef, CFIndex, CFDictionaryRef);
void CFDictionarySetValue(CFMutableDictionaryRef, const void*, const void*);
CFIndex CFArrayGetCount(CFArrayRef);
const void* CFArrayGetValueAtIndex(CFArrayRef, CFIndex);
CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef, CFIndex, const CFArrayCallBacks*);
void CFArrayAppendValue(CFMutableArrayRef, const void*);
mach_port_t mach_task_self();
mach_port_t mach_host_self();
kern_return_t host_page_size(mach_port_t, vm_size_t*);
kern_return_t host_statistics(mach_port_t, int, host_info_t, mach_msg_type_number_t*);
kern_return_t host_statistics64(mach_port_t, int, host_info64_t, mach_msg_type_number_t*);
kern_return_t task_info(mach_port_t, natural_t, task_info_t, mach_msg_type_number_t*);
CFMutableDictionaryRef IOServiceMatching(const char*);
io_service_t IOServiceGetMatchingService(mach_port_t, CFDictionaryRef);
CFTypeRef IORegistryEntryCreateCFProperty(io_registry_entry_t, CFStringRef, CFAllocatorRef, IOOptionBits);
kern_return_t IOObjectRelease(io_object_t);
CFTimeInterval IOPSGetTimeRemainingEstimate();
IOReturn IOPMAssertionCreateWithName(CFStringRef, IOPMAssertionLevel, CFStringRef, IOPMAssertionID*);
IOReturn IOPMAssertionRelease(IOPMAssertionID);
std::uint32_t notify_register_check(const char*, int*);
std::uint32_t notify_get_state(int, std::uint64_t*);
std::uint32_t notify_cancel(int);
void objc_msgSend();
Class objc_getClass(const char*);
SEL sel_registerName(const char*);
int sysctlbyname(const char*, void*, std::size_t*, void*, std::size_t);
int _NSGetExecutablePath(char*, std::uint32_t*);
unsigned long long clock_gettime_nsec_np(clockid_t);
}
