#ifndef STOREHUB_CFEATURECORE_H
#define STOREHUB_CFEATURECORE_H

#include <stdbool.h>
#include <stdint.h>

// What this thread does with observed states. In C, because Swift has no thread-local variables of its own, and
// looking one up with pthread_getspecific(3) at each read of a field would be the larger part of reading it.
//
// Initial-exec: two instructions to reach, without a call. The libraries are linked into programs, not opened by them.
#define STOREHUB_THREAD_LOCAL extern _Thread_local __attribute__((tls_model("initial-exec")))

/// How many reducers and other unobserved reads are under way on this thread, one within the other.
STOREHUB_THREAD_LOCAL uint64_t storehub_unobserved;
/// The turn of this thread, if it has ever had one.
STOREHUB_THREAD_LOCAL void *storehub_turn;
/// The places whose children have effects in the store whose reducer runs on this thread; null outside of one.
STOREHUB_THREAD_LOCAL void *storehub_places;
/// The surroundings of the reducer that runs on this thread; null outside of one, and in a store of one process.
STOREHUB_THREAD_LOCAL void *storehub_surroundings;

/// Returns true if a field that this thread reads may have an observer: it runs no reducer.
static inline bool storehub_can_observe(void) { return storehub_unobserved == 0; }

static inline void storehub_begin_reducing(void) { storehub_unobserved++; }
static inline void storehub_end_reducing(void) { storehub_unobserved--; }

static inline void *storehub_current_turn(void) { return storehub_turn; }
static inline void storehub_set_current_turn(void *turn) { storehub_turn = turn; }

static inline void *storehub_current_places(void) { return storehub_places; }
static inline void storehub_set_current_places(void *places) { storehub_places = places; }

static inline void *storehub_current_surroundings(void) { return storehub_surroundings; }
static inline void storehub_set_current_surroundings(void *surroundings) { storehub_surroundings = surroundings; }

#undef STOREHUB_THREAD_LOCAL
#endif
