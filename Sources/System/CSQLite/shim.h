// SQLite, and what Swift cannot import of it: functions with a variable number of arguments, and the methods of files.
// Also statx(2), for the identity of such files.
#ifndef STOREHUB_CSQLITE_SHIM_H
#define STOREHUB_CSQLITE_SHIM_H

#include <fcntl.h>
#include <linux/stat.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

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

// Declared only with _GNU_SOURCE.
int statx(int directory, const char *_Nonnull path, int flags, unsigned int mask, struct statx *_Nonnull status);

// The device and the inode of a file; returns false if there is none.
//
// It does not ask for the file's times. Since version 6.13, Linux gives a file whose times were asked for an exact new
// time with its next write, and the sync that follows has more to do.
static inline bool csqlite_identify(const char *_Nonnull path, uint64_t *_Nonnull device, uint64_t *_Nonnull inode) {
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_INO, &status) != 0) return false;
    *device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
    *inode = status.stx_ino;
    return true;
}

// Makes the file of the write-ahead log at least `size` bytes long, with zeros at its end. Nothing else may add to the log
// meanwhile, so it is called within a transaction that writes.
static inline int csqlite_extend_wal(sqlite3 *_Nonnull database, sqlite3_int64 size) {
    static const char zeros[1 << 16];
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return result;
    sqlite3_int64 end = 0;
    result = file->pMethods->xFileSize(file, &end);
    while (result == SQLITE_OK && end < size) {
        int count = size - end < (sqlite3_int64)sizeof zeros ? (int)(size - end) : (int)sizeof zeros;
        result = file->pMethods->xWrite(file, zeros, count, end);
        end += count;
    }
    return result;
}

#endif
