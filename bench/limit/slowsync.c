/* LD_PRELOAD this to make every fsync and fdatasync take as long as a disk's: SLOWSYNC_US microseconds longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_as_a_disk(void) {
  const char *delay = getenv("SLOWSYNC_US");
  if (delay) usleep((useconds_t)atoi(delay));
}

int fsync(int file) {
  wait_as_a_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  wait_as_a_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
