// Counts calls of the heap. An executable that links this has its own malloc(3) in front of glibc's, which its shared
// libraries, the Swift runtime among them, then call too.
#include "allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t count;
// The bundle of the tests links this too, because tests of programs depend on one that counts. Nobody asks there, and a
// common counter would cost its threads more than the rest of malloc(3).
static atomic_bool counts;

static void note(void) {
  if (atomic_load_explicit(&counts, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  }
}

uint64_t allocation_count(void) {
  atomic_store_explicit(&counts, true, memory_order_relaxed);
  return atomic_load_explicit(&count, memory_order_relaxed);
}

void look_at(const void *value) { (void)value; }

// The address sanitizer has its own malloc(3), whose memory only its own free(3) takes; nothing is counted then.
#if !__has_feature(address_sanitizer)

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
  note();
  return __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *pointer = memalign(alignment, size);
  if (pointer == NULL) return ENOMEM;
  *result = pointer;
  return 0;
}

#endif
