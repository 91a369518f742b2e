#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdint.h>

/// How often memory was taken from the heap in this process since the first call of this function, by whatever thread.
uint64_t allocation_count(void);

/// Does nothing, of which the Swift compiler does not know.
void look_at(const void *value);

#endif
