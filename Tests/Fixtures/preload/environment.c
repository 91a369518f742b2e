// A library that changes the environment before main when it is preloaded, as libfaketime does.
#include <stdlib.h>

__attribute__((constructor)) static void begin(void) { setenv("STOREHUB_PRELOADED", "1", 1); }
