// XXH3-64 from xxHash 0.8 or later, with which its results became fixed.
#ifndef STOREHUB_CXXHASH_SHIM_H
#define STOREHUB_CXXHASH_SHIM_H

#include <xxhash.h>

#endif
