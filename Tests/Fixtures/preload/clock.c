// A library that lets the wall clock of a program be wrong when it is preloaded, by the nanoseconds in the file that
// STOREHUB_TEST_CLOCK names: eight bytes, which a test may change at any time. Other clocks are those of the machine.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t none = 0;
static const volatile int64_t *error = &none;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("STOREHUB_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *error, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) error = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t ahead = *error, nanoseconds = time->tv_nsec + ahead % 1000000000;
  int64_t carry = nanoseconds < 0 ? -1 : nanoseconds / 1000000000;
  time->tv_sec += ahead / 1000000000 + carry;
  time->tv_nsec = nanoseconds - carry * 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
