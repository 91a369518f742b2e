// ncursesw for Swift: its macros as functions and constants, and its globals behind accessors.
#ifndef STOREHUB_CNCURSES_SHIM_H
#define STOREHUB_CNCURSES_SHIM_H

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <sys/ioctl.h>
#include <wchar.h>

static const attr_t cncurses_bold = A_BOLD;
static const attr_t cncurses_dim = A_DIM;
static const attr_t cncurses_reverse = A_REVERSE;
// A button that goes down and up again within one read is a click.
static const mmask_t cncurses_press =
    BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED;
static const mmask_t cncurses_wheel_up = BUTTON4_PRESSED;
static const mmask_t cncurses_wheel_down = BUTTON5_PRESSED;

static inline WINDOW *_Nullable cncurses_screen(void) { return stdscr; }
// What ncurses believes to be on the terminal.
static inline WINDOW *_Nullable cncurses_current(void) { return curscr; }
static inline int cncurses_color_count(void) { return COLORS; }

// _XOPEN_SOURCE hides these two from some headers; both are in every glibc and ncurses 6.
extern int wcwidth(wchar_t character);
extern int set_escdelay(int milliseconds);

// Of term.h, which defines macros with names such as `lines`.
extern int setupterm(const char *_Nullable name, int descriptor, int *_Nullable problem);
extern char *_Nullable tigetstr(const char *_Nonnull name);

// A string of the terminal's description; NULL if it has none.
static inline const char *_Nullable cncurses_capability(const char *_Nonnull name) {
    const char *text = tigetstr(name);
    return text == (const char *)-1 ? NULL : text;
}

// Puts the characters of one joined emoji into one cell, and the attributes and the colour pair. setcchar() takes only
// characters without a width behind the first one; the terminal draws all of them in the columns of the first one.
static inline int cncurses_add_joined(
    int row, int column, const wchar_t *_Nonnull characters, int count, attr_t attributes, short pair) {
    const wchar_t first[2] = {characters[0], 0};
    cchar_t cell;
    if (setcchar(&cell, first, attributes, pair, NULL) == ERR) return ERR;
    for (int index = 1; index < count && index < CCHARW_MAX; index++) cell.chars[index] = characters[index];
    return mvwadd_wch(stdscr, row, column, &cell);
}

// Columns and rows of the terminal behind a descriptor; 0 on success.
static inline int cncurses_terminal_size(int descriptor, int *_Nonnull rows, int *_Nonnull columns) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 0;
}

#endif
