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

// The methods of a file whose writes are synced in steps. They come first, so a pointer to them is one to all of it.
struct csqlite_sync_steps {
    struct sqlite3_io_methods methods;
    const struct sqlite3_io_methods *_Nonnull original;
    int step;
    int unsynced;
};

static inline int csqlite_write_in_steps(
    sqlite3_file *_Nonnull file, const void *_Nonnull bytes, int count, sqlite3_int64 offset) {
    struct csqlite_sync_steps *steps = (struct csqlite_sync_steps *)file->pMethods;
    int result = steps->original->xWrite(file, bytes, count, offset);
    if (result != SQLITE_OK) return result;
    steps->unsynced += count;
    if (steps->unsynced < steps->step) return SQLITE_OK;
    steps->unsynced = 0;
    return steps->original->xSync(file, SQLITE_SYNC_NORMAL);
}

// Syncs the file of the database, as its VFS does, whenever this connection has written `step` bytes to it. `steps` must
// live as long as the connection.
static inline int csqlite_sync_in_steps(
    sqlite3 *_Nonnull database, int step, struct csqlite_sync_steps *_Nonnull steps) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return result;
    steps->methods = *file->pMethods;
    steps->original = file->pMethods;
    steps->step = step;
    steps->unsynced = 0;
    steps->methods.xWrite = csqlite_write_in_steps;
    file->pMethods = &steps->methods;
    return SQLITE_OK;
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
