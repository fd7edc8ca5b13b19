#pragma once
// What only Linux declares here has another name.

#define environ linux_environ
#define pipe2 linux_pipe2
#include_next <unistd.h>
#undef environ
#undef pipe2
