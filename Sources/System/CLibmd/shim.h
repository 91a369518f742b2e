// SHA-256 from libmd, which dpkg itself is linked to and which is therefore on every Debian system.
#ifndef STOREHUB_CLIBMD_SHIM_H
#define STOREHUB_CLIBMD_SHIM_H

#include <stdint.h>
#include <sys/types.h>

#include <sha256.h>

#endif
