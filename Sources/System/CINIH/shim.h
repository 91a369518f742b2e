// The reader of INI files of Debian's libinih.
#ifndef STOREHUB_CINIH_SHIM_H
#define STOREHUB_CINIH_SHIM_H

#include <ini.h>

#endif
