// The limit for effects: timers of libuv without tasks. Prints what bench/effects.py compares.
//
// A turn of the loop does one action. `debounce` stops a timer of 60 s and starts another, `timer` starts one of 1 ms
// that counts up, and 100,000 timers sleep.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

enum { COUNT = 50000, SLEEPING = 100000, ALONE = 50 };
enum kind { PLAIN, DEBOUNCE, TIMER };

static uv_loop_t *loop;
static uv_idle_t turn;
static uv_timer_t *search;
static enum kind kind;
static int left, fired, measured;
static double lateness[ALONE];
static uint64_t due;

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void freed(uv_handle_t *handle) { free(handle); }
static void end(uv_timer_t *timer) { uv_close((uv_handle_t *)timer, freed); }
static void fire(uv_timer_t *timer) {
    fired++;
    end(timer);
}

static uv_timer_t *start(uv_timer_cb callback, uint64_t milliseconds) {
    uv_timer_t *timer = malloc(sizeof *timer);
    uv_timer_init(loop, timer);
    uv_timer_start(timer, callback, milliseconds, 0);
    return timer;
}

static void on_turn(uv_idle_t *handle) {
    if (kind == DEBOUNCE) {
        if (search) end(search);
        search = start(end, 60000);
    } else if (kind == TIMER) {
        start(fire, 1);
    }
    if (--left == 0) uv_idle_stop(handle);
}

static double cost(enum kind measured_kind) {
    kind = measured_kind, left = COUNT, fired = 0;
    double begin = processor_time();
    uv_idle_start(&turn, on_turn);
    while (left || (kind == TIMER && fired < COUNT)) uv_run(loop, UV_RUN_ONCE);
    return (processor_time() - begin) / COUNT;
}

static void measure(uv_timer_t *timer) {
    lateness[measured++] = (uv_hrtime() - due) / 1e3;
    end(timer);
}

static int compare(const void *first, const void *second) {
    double difference = *(const double *)first - *(const double *)second;
    return (difference > 0) - (difference < 0);
}

static long resident(void) {
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) abort();
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

int main(void) {
    loop = uv_default_loop();
    uv_idle_init(loop, &turn);
    for (int i = 0; i < ALONE; i++) {
        uv_update_time(loop);
        due = uv_hrtime() + 20000000;
        start(measure, 20);
        while (measured <= i) uv_run(loop, UV_RUN_ONCE);
    }
    qsort(lateness, ALONE, sizeof *lateness, compare);
    double plain = cost(PLAIN), debounce = cost(DEBOUNCE), timer = cost(TIMER);
    long before = resident();
    for (int i = 0; i < SLEEPING; i++) start(end, 3600000);
    printf("{\"plain\": %f, \"debounce\": %f, \"timer\": %f, \"sleeping\": %f, \"lateness\": %f, \"latest\": %f}\n", plain,
           debounce, timer, (resident() - before) / 1048576.0, lateness[ALONE / 2], lateness[ALONE - 1]);
    return 0;
}
