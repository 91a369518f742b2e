// libsystemd, and memfd_create(2), which is declared only with _GNU_SOURCE.
#ifndef STOREHUB_CSYSTEMD_SHIM_H
#define STOREHUB_CSYSTEMD_SHIM_H

// Without it the header turns the journal's functions into macros, which Swift cannot import.
#define SD_JOURNAL_SUPPRESS_LOCATION 1

#include <sys/socket.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

int memfd_create(const char *_Nonnull name, unsigned int flags);

#endif
