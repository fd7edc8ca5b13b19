#pragma once

#include <cstdint>

using natural_t = unsigned int;
using integer_t = int;
using kern_return_t = int;
using mach_port_t = natural_t;
using host_t = mach_port_t;
using task_t = mach_port_t;
using ipc_space_t = mach_port_t;
using mach_msg_type_number_t = natural_t;
using vm_size_t = std::uintptr_t;
using mach_vm_size_t = std::uint64_t;
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
  mach_vm_size_t virtual_size, resident_size, resident_size_max;
};
#define HOST_CPU_LOAD_INFO_COUNT \
  (static_cast<mach_msg_type_number_t>(sizeof(host_cpu_load_info_data_t) / sizeof(integer_t)))
#define HOST_VM_INFO64_COUNT \
  (static_cast<mach_msg_type_number_t>(sizeof(vm_statistics64_data_t) / sizeof(integer_t)))
#define MACH_TASK_BASIC_INFO_COUNT \
  (static_cast<mach_msg_type_number_t>(sizeof(mach_task_basic_info_data_t) / sizeof(natural_t)))

extern "C" {
extern mach_port_t mach_task_self_;
mach_port_t mach_host_self();
kern_return_t mach_port_deallocate(ipc_space_t, mach_port_t);
kern_return_t host_page_size(host_t, vm_size_t*);
kern_return_t host_statistics(host_t, int, host_info_t, mach_msg_type_number_t*);
kern_return_t host_statistics64(host_t, int, host_info64_t, mach_msg_type_number_t*);
kern_return_t task_info(task_t, natural_t, task_info_t, mach_msg_type_number_t*);
}
#define mach_task_self() mach_task_self_
