#pragma once

#define memfd_create linux_memfd_create
#include_next <sys/mman.h>
#undef memfd_create
