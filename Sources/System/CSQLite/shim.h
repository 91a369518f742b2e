// SQLite, and what Swift cannot import of it: functions with a variable number of arguments, and the methods of files.
#ifndef STOREHUB_CSQLITE_SHIM_H
#define STOREHUB_CSQLITE_SHIM_H

#include <sqlite3.h>

// Keeps the write-ahead log as it is when the last connection closes.
static inline int csqlite_keep_wal(sqlite3 *_Nonnull database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Syncs the file of the database, as its VFS does.
static inline int csqlite_sync(sqlite3 *_Nonnull database) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return result;
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

#endif
