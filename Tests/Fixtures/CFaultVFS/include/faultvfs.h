// An SQLite VFS for tests, named "fault", over the ordinary one: it fails the n-th call, delays and holds syncs, and records what
// is written and synced, so that a test can make the files that a loss of power leaves.
#ifndef STOREHUB_FAULTVFS_H
#define STOREHUB_FAULTVFS_H

#include <stdint.h>

// What a recorded operation did, and to which file.
enum faultvfs_kind { FAULTVFS_WRITE, FAULTVFS_TRUNCATE, FAULTVFS_SYNC, FAULTVFS_DELETE, FAULTVFS_MARK };
enum faultvfs_file { FAULTVFS_DATABASE, FAULTVFS_WAL, FAULTVFS_JOURNAL, FAULTVFS_TAIL };

struct faultvfs_operation {
    int32_t kind;
    int32_t file;
    // Where bytes were written; the new size of a file; the number of a mark.
    int64_t offset;
    const uint8_t *_Nullable bytes;
    int64_t count;
};

// Registers the VFS (once), and forgets faults, counts and records.
void faultvfs_reset(void);

// Fails the n-th call that touches a file, and all later ones too if it is sticky. A write fails for want of space, or with an I/O
// error.
void faultvfs_fail(int64_t number, int is_sticky, int is_full);

// How many calls were made, and how many of them failed.
int64_t faultvfs_calls(void);
int64_t faultvfs_failures(void);

// Makes each sync last so long.
void faultvfs_delay_syncs(int32_t microseconds);

// Makes each sync of a file of this kind wait until the next call; -1 holds none.
void faultvfs_hold_syncs(int32_t file);

// Lets a held sync go on, and holds the next one.
void faultvfs_release_held(void);

// Waits until a sync is held, at most so long; 0 if none is.
int faultvfs_wait_for_held(int32_t seconds);

// Makes the next checkpoint run while a turn that was committed still reads: it begins at the end of that turn's transaction,
// which ends after it.
void faultvfs_cross_checkpoint(void);

// Waits until that has happened, at most so long; 0 if it has not.
int faultvfs_wait_for_crossing(int32_t seconds);

// Begins to record. `tail` is the path of a file that is written without SQLite: its changes are recorded where they were seen.
void faultvfs_record(const char *_Nonnull tail);

// Records a number, between the operations before and after.
void faultvfs_mark(int64_t number);

// The operations that were recorded, until the next reset.
int64_t faultvfs_operations(void);
struct faultvfs_operation faultvfs_operation_at(int64_t index);

#endif
