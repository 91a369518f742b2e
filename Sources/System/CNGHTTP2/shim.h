// nghttp2, HTTP/2 without I/O of its own.
#ifndef STOREHUB_CNGHTTP2_SHIM_H
#define STOREHUB_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#endif
