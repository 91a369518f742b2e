// getopt_long(3) and stdout for Swift, which imports neither mutable C globals nor arrays of struct option comfortably.
#ifndef STOREHUB_CGLIBC_SHIM_H
#define STOREHUB_CGLIBC_SHIM_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

// Begins a new scan: glibc starts afresh when optind is 0, and stays silent when opterr is 0.
static inline void cglibc_getopt_restart(void) {
    optind = 0;
    opterr = 0;
}

static inline const char *_Nullable cglibc_optarg(void) { return optarg; }
static inline int cglibc_optind(void) { return optind; }
static inline int cglibc_optopt(void) { return optopt; }

// Flushes standard output; returns false if anything could not be written.
static inline bool cglibc_flush_output(void) { return fflush(stdout) == 0 && !ferror(stdout); }

#endif
