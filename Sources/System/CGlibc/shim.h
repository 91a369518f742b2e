// getopt_long(3), stdout and stderr for Swift, which imports neither mutable C globals nor arrays of struct option comfortably.
#ifndef STOREHUB_CGLIBC_SHIM_H
#define STOREHUB_CGLIBC_SHIM_H

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// After those that define its types.
#include <bits/types/cookie_io_functions_t.h>

// Begins a new scan: glibc starts afresh when optind is 0, and stays silent when opterr is 0.
static inline void cglibc_getopt_restart(void) {
    optind = 0;
    opterr = 0;
}

static inline const char *_Nullable cglibc_optarg(void) { return optarg; }
static inline int cglibc_optind(void) { return optind; }
static inline int cglibc_optopt(void) { return optopt; }

// Flushes standard output; returns false if anything could not be written.
static inline bool cglibc_flush_output(void) { return fflush(stdout) == 0 && !ferror(stdout); }

// Memory that survives the process and keeps the text that was written on standard error last, or that of a fatal error,
// which a backtrace may follow. The owner of the memory sets the length to 0 when the text no longer matters.
struct cglibc_last_words {
    uint64_t length;
    char text[];
};

struct cglibc_words_place {
    struct cglibc_last_words *_Nullable words;
    size_t capacity;
    bool is_fatal;
};

// A variable of the header itself would not be emitted for Swift. One source file uses these functions.
static inline struct cglibc_words_place *_Nonnull cglibc_words_place(void) {
    static struct cglibc_words_place place;
    return &place;
}

// Keeps the text in `memory` from now on, which has `count` bytes.
static inline void cglibc_keep_words(void *_Nonnull memory, size_t count) {
    cglibc_words_place()->capacity = count - sizeof(struct cglibc_last_words);
    __atomic_store_n(&cglibc_words_place()->words, (struct cglibc_last_words *)memory, __ATOMIC_RELEASE);
}

// Keeps no more text in `memory`, which is about to be unmapped.
static inline void cglibc_forget_words(void *_Nonnull memory) {
    struct cglibc_last_words *words = (struct cglibc_last_words *)memory;
    __atomic_compare_exchange_n(&cglibc_words_place()->words, &words, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

// Keeps a text in place of the one before, unless that is of a fatal error.
static inline void cglibc_note_words(const char *_Nonnull text, size_t length) {
    struct cglibc_last_words *words = __atomic_load_n(&cglibc_words_place()->words, __ATOMIC_ACQUIRE);
    if (!words) return;
    size_t capacity = cglibc_words_place()->capacity;
    if (words->length > 0 && cglibc_words_place()->is_fatal) return;
    if (length > capacity) length = capacity;
    memcpy(words->text, text, length);
    __atomic_store_n(&words->length, length, __ATOMIC_RELEASE);
    static const char mark[] = "Fatal error";
    bool is_fatal = false;
    for (size_t start = 0; start + sizeof mark - 1 <= length && !is_fatal; start++)
        is_fatal = memcmp(text + start, mark, sizeof mark - 1) == 0;
    cglibc_words_place()->is_fatal = is_fatal;
}

static ssize_t cglibc_write_error(void *_Nullable cookie, const char *_Nonnull text, size_t length) {
    (void)cookie;
    cglibc_note_words(text, length);
    size_t written = 0;
    while (written < length) {
        ssize_t count = write(STDERR_FILENO, text + written, length - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        written += (size_t)count;
    }
    return (ssize_t)written;
}

// Declared only with _GNU_SOURCE.
FILE *_Nullable fopencookie(void *_Nullable cookie, const char *_Nonnull mode, cookie_io_functions_t functions);

// From now on texts that are written to `stderr` are also kept: above all the runtime's message of a fatal error. The
// messages that other programs and other threads write to descriptor 2 are not.
static inline void cglibc_watch_errors(void) {
    cookie_io_functions_t functions = {.write = cglibc_write_error};
    FILE *file = fopencookie(NULL, "w", functions);
    if (!file) return;
    setvbuf(file, NULL, _IONBF, 0);
    stderr = file;
}

#endif
