// sd-bus(3) of libsystemd, apart from CSystemd, which ServiceManager alone imports.
#ifndef STOREHUB_CSDBUS_SHIM_H
#define STOREHUB_CSDBUS_SHIM_H

#include <systemd/sd-bus.h>

#endif
