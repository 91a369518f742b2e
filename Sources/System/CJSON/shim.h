// The JSON reader of Jansson, which refuses what RFC 8259 does not allow, and integers that it would have to round.
#ifndef STOREHUB_CJSON_SHIM_H
#define STOREHUB_CJSON_SHIM_H

#include <jansson.h>

#endif
