#include "faultvfs.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct fault_file {
    sqlite3_file base;
    int file;
    sqlite3_file *real;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *real;
static int64_t calls, failures, failing;
static int sticky, full, recording;
static int32_t delay;
static pthread_cond_t holding = PTHREAD_COND_INITIALIZER;
static int held_file = -1, held;
static int64_t releases;
// A checkpoint that meets a turn: none, wanted, waiting for the turn, or running beside it.
static enum { NO_CROSSING, WANTED, AWAITED, MET } crossing;
static char tail_path[512];
static uint8_t tail[64];
static ssize_t tail_count;
static struct faultvfs_operation *operations;
static int64_t operation_count, operation_capacity;

// Whether the current call fails.
static int fails(void) {
    pthread_mutex_lock(&mutex);
    calls++;
    int result = failing && (calls == failing || (sticky && calls > failing));
    failures += result;
    pthread_mutex_unlock(&mutex);
    return result;
}

static void append(int kind, int file, int64_t offset, const void *bytes, int64_t count) {
    if (operation_count == operation_capacity) {
        operation_capacity = operation_capacity ? 2 * operation_capacity : 256;
        operations = realloc(operations, (size_t)operation_capacity * sizeof *operations);
    }
    uint8_t *copy = NULL;
    if (count) {
        copy = malloc((size_t)count);
        memcpy(copy, bytes, (size_t)count);
    }
    operations[operation_count++] = (struct faultvfs_operation){kind, file, offset, copy, count};
}

// Records a change of the file that is written without SQLite.
static void record_tail(void) {
    uint8_t bytes[sizeof tail];
    int descriptor = open(tail_path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    ssize_t count = read(descriptor, bytes, sizeof bytes);
    close(descriptor);
    if (count <= 0 || (count == tail_count && !memcmp(bytes, tail, (size_t)count))) return;
    memcpy(tail, bytes, (size_t)count);
    tail_count = count;
    append(FAULTVFS_WRITE, FAULTVFS_TAIL, 0, bytes, count);
}

static void record(int kind, int file, int64_t offset, const void *bytes, int64_t count) {
    pthread_mutex_lock(&mutex);
    if (recording) {
        record_tail();
        append(kind, file, offset, bytes, count);
    }
    pthread_mutex_unlock(&mutex);
}

static sqlite3_file *below(sqlite3_file *file) { return ((struct fault_file *)file)->real; }
static int name(sqlite3_file *file) { return ((struct fault_file *)file)->file; }

static int fault_close(sqlite3_file *file) {
    int result = below(file)->pMethods->xClose(below(file));
    sqlite3_free(below(file));
    return result;
}

static int fault_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    if (fails()) return SQLITE_IOERR_READ;
    return below(file)->pMethods->xRead(below(file), bytes, count, offset);
}

static int fault_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    if (fails()) return full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    record(FAULTVFS_WRITE, name(file), offset, bytes, count);
    return below(file)->pMethods->xWrite(below(file), bytes, count, offset);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (fails()) return SQLITE_IOERR_TRUNCATE;
    record(FAULTVFS_TRUNCATE, name(file), size, NULL, 0);
    return below(file)->pMethods->xTruncate(below(file), size);
}

// Nothing is synced in fact: a test makes the files of a crash from the record.
static int fault_sync(sqlite3_file *file, int flags) {
    (void)flags;
    if (fails()) return SQLITE_IOERR_FSYNC;
    if (delay) usleep((useconds_t)delay);
    pthread_mutex_lock(&mutex);
    int64_t before = releases;
    while (held_file == name(file) && releases == before) {
        held = 1;
        pthread_cond_broadcast(&holding);
        pthread_cond_wait(&holding, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    record(FAULTVFS_SYNC, name(file), 0, NULL, 0);
    return SQLITE_OK;
}

static int fault_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (fails()) return SQLITE_IOERR_FSTAT;
    return below(file)->pMethods->xFileSize(below(file), size);
}

static int fault_lock(sqlite3_file *file, int level) { return below(file)->pMethods->xLock(below(file), level); }
static int fault_unlock(sqlite3_file *file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }
static int fault_reserved(sqlite3_file *file, int *result) {
    return below(file)->pMethods->xCheckReservedLock(below(file), result);
}
static int fault_control(sqlite3_file *file, int operation, void *argument) {
    return below(file)->pMethods->xFileControl(below(file), operation, argument);
}
static int fault_sector(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }
static int fault_characteristics(sqlite3_file *file) {
    return below(file)->pMethods->xDeviceCharacteristics(below(file));
}
static int fault_map(sqlite3_file *file, int page, int size, int extends, void volatile **address) {
    if (fails()) return SQLITE_IOERR_SHMMAP;
    return below(file)->pMethods->xShmMap(below(file), page, size, extends, address);
}

// The locks of the index of a write-ahead log, in their order; the fourth and later ones are readers'.
enum { WRITE_LOCK, CHECKPOINT_LOCK, RECOVERY_LOCK, FIRST_READ_LOCK };

static void cross(int lock, int flags) {
    pthread_mutex_lock(&mutex);
    if (lock == CHECKPOINT_LOCK && flags & SQLITE_SHM_LOCK && crossing == WANTED) {
        crossing = AWAITED;
        while (crossing == AWAITED) pthread_cond_wait(&holding, &mutex);
    } else if (lock >= FIRST_READ_LOCK && flags == (SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) && crossing == AWAITED) {
        crossing = MET;
        pthread_cond_broadcast(&holding);
        while (crossing == MET) pthread_cond_wait(&holding, &mutex);
    } else if (lock == CHECKPOINT_LOCK && flags & SQLITE_SHM_UNLOCK && crossing == MET) {
        crossing = NO_CROSSING;
        pthread_cond_broadcast(&holding);
    }
    pthread_mutex_unlock(&mutex);
}

static int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    cross(offset, flags);
    return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}

static void fault_barrier(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }
static int fault_unmap(sqlite3_file *file, int removes) {
    return below(file)->pMethods->xShmUnmap(below(file), removes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = fault_close,
    .xRead = fault_read,
    .xWrite = fault_write,
    .xTruncate = fault_truncate,
    .xSync = fault_sync,
    .xFileSize = fault_size,
    .xLock = fault_lock,
    .xUnlock = fault_unlock,
    .xCheckReservedLock = fault_reserved,
    .xFileControl = fault_control,
    .xSectorSize = fault_sector,
    .xDeviceCharacteristics = fault_characteristics,
    .xShmMap = fault_map,
    .xShmLock = fault_shm_lock,
    .xShmBarrier = fault_barrier,
    .xShmUnmap = fault_unmap,
};

static int kind_of(const char *path) {
    size_t count = path ? strlen(path) : 0;
    if (count > 4 && !strcmp(path + count - 4, "-wal")) return FAULTVFS_WAL;
    if (count > 8 && !strcmp(path + count - 8, "-journal")) return FAULTVFS_JOURNAL;
    return FAULTVFS_DATABASE;
}

static int fault_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *opened, int flags, int *out) {
    (void)vfs;
    struct fault_file *file = (struct fault_file *)opened;
    memset(file, 0, sizeof *file);
    if (fails()) return SQLITE_CANTOPEN;
    file->real = sqlite3_malloc(real->szOsFile);
    if (!file->real) return SQLITE_NOMEM;
    memset(file->real, 0, (size_t)real->szOsFile);
    file->file = kind_of(path);
    int result = real->xOpen(real, path, file->real, flags, out);
    if (result == SQLITE_OK) {
        file->base.pMethods = &methods;
    } else {
        sqlite3_free(file->real);
    }
    return result;
}

static int fault_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    if (fails()) return SQLITE_IOERR_DELETE;
    record(FAULTVFS_DELETE, kind_of(path), 0, NULL, 0);
    return real->xDelete(real, path, syncs);
}

static int fault_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    if (fails()) return SQLITE_IOERR_ACCESS;
    return real->xAccess(real, path, flags, result);
}

void faultvfs_reset(void) {
    static sqlite3_vfs vfs;
    pthread_mutex_lock(&mutex);
    if (!real) {
        real = sqlite3_vfs_find(NULL);
        // Everything else (time, randomness, full paths) is the ordinary one's, which does not look at its own structure's size.
        vfs = *real;
        vfs.szOsFile = sizeof(struct fault_file);
        vfs.zName = "fault";
        vfs.pNext = NULL;
        vfs.xOpen = fault_open;
        vfs.xDelete = fault_delete;
        vfs.xAccess = fault_access;
        sqlite3_vfs_register(&vfs, 0);
    }
    for (int64_t index = 0; index < operation_count; index++) free((void *)operations[index].bytes);
    calls = failures = failing = operation_count = tail_count = 0;
    sticky = full = recording = delay = held = 0;
    held_file = -1;
    crossing = NO_CROSSING;
    pthread_cond_broadcast(&holding);
    pthread_mutex_unlock(&mutex);
}

void faultvfs_fail(int64_t number, int is_sticky, int is_full) {
    pthread_mutex_lock(&mutex);
    failing = number;
    sticky = is_sticky;
    full = is_full;
    pthread_mutex_unlock(&mutex);
}

int64_t faultvfs_calls(void) {
    pthread_mutex_lock(&mutex);
    int64_t result = calls;
    pthread_mutex_unlock(&mutex);
    return result;
}

int64_t faultvfs_failures(void) {
    pthread_mutex_lock(&mutex);
    int64_t result = failures;
    pthread_mutex_unlock(&mutex);
    return result;
}

void faultvfs_hold_syncs(int32_t file) {
    pthread_mutex_lock(&mutex);
    held_file = file;
    held = 0;
    pthread_cond_broadcast(&holding);
    pthread_mutex_unlock(&mutex);
}

void faultvfs_release_held(void) {
    pthread_mutex_lock(&mutex);
    releases++;
    held = 0;
    pthread_cond_broadcast(&holding);
    pthread_mutex_unlock(&mutex);
}

static struct timespec after(int32_t seconds) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += seconds;
    return time;
}

int faultvfs_wait_for_held(int32_t seconds) {
    struct timespec limit = after(seconds);
    pthread_mutex_lock(&mutex);
    while (!held && pthread_cond_timedwait(&holding, &mutex, &limit) == 0) {}
    int result = held;
    pthread_mutex_unlock(&mutex);
    return result;
}

void faultvfs_cross_checkpoint(void) {
    pthread_mutex_lock(&mutex);
    crossing = WANTED;
    pthread_mutex_unlock(&mutex);
}

int faultvfs_wait_for_crossing(int32_t seconds) {
    struct timespec limit = after(seconds);
    pthread_mutex_lock(&mutex);
    while (crossing != NO_CROSSING && pthread_cond_timedwait(&holding, &mutex, &limit) == 0) {}
    int result = crossing == NO_CROSSING;
    pthread_mutex_unlock(&mutex);
    return result;
}

void faultvfs_delay_syncs(int32_t microseconds) { delay = microseconds; }

void faultvfs_record(const char *path) {
    pthread_mutex_lock(&mutex);
    strncpy(tail_path, path, sizeof tail_path - 1);
    recording = 1;
    pthread_mutex_unlock(&mutex);
}

void faultvfs_mark(int64_t number) { record(FAULTVFS_MARK, FAULTVFS_DATABASE, number, NULL, 0); }

int64_t faultvfs_operations(void) { return operation_count; }

struct faultvfs_operation faultvfs_operation_at(int64_t index) { return operations[index]; }
