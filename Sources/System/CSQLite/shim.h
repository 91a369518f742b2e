// SQLite, and what Swift cannot import of it: functions with a variable number of arguments.
#ifndef STOREHUB_CSQLITE_SHIM_H
#define STOREHUB_CSQLITE_SHIM_H

#include <sqlite3.h>

// Keeps the write-ahead log as it is when the last connection closes.
static inline int csqlite_keep_wal(sqlite3 *_Nonnull database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
