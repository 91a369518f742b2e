#!/usr/bin/env python3
"""Turns a screen with ANSI styles, as `tmux capture-pane -e -p` prints it, into an SVG image.

terminal-svg.py COLUMNS ROWS dark|light <screen >image.svg
"""
import re
import sys
import unicodedata
from xml.sax.saxutils import escape

CELL = (8.4, 17.0)
# Background and text, then the eight colours of a terminal.
THEMES = {
    "dark": ("#1c1c1c", "#d0d0d0", "#1c1c1c #cd3131 #23d18b #e5e510 #3b8eea #bc3fbc #29b8db #e5e5e5".split()),
    "light": ("#ffffff", "#333333", "#000000 #a31515 #008000 #795e26 #0000c0 #af00db #00627a #555555".split()),
}
PLAIN = [None, False, False, False]


def color(number, base):
    """The colour with one of 256 numbers."""
    if number < 16:
        return base[number % 8]
    if number >= 232:
        return "#" + "%02x" % (8 + 10 * (number - 232)) * 3
    levels = [0, 95, 135, 175, 215, 255]
    number -= 16
    return "#%02x%02x%02x" % (levels[number // 36], levels[number // 6 % 6], levels[number % 6])


def runs(line, base, style):
    """Yields the texts of a line with their styles: the colour, and whether they are bold, dim and reversed.

    `style` is that of the end of the line above, which goes on.
    """
    for text, codes in re.findall(r"([^\x1b]+)|\x1b\[([0-9;]*)m", line):
        if text:
            yield text, tuple(style)
            continue
        numbers = [int(code or 0) for code in codes.split(";")]
        while numbers:
            code = numbers.pop(0)
            if code == 0:
                style[:] = PLAIN
            elif code in (1, 2, 7):
                style[{1: 1, 2: 2, 7: 3}[code]] = True
            elif code == 22:
                style[1] = style[2] = False
            elif code == 27:
                style[3] = False
            elif code == 39:
                style[0] = None
            elif 30 <= code <= 37:
                style[0] = base[code - 30]
            elif code == 38 and numbers[:1] == [5]:
                style[0] = color(numbers[1], base)
                numbers = numbers[2:]


def columns(text):
    """The number of cells of a text without joined emoji."""
    visible = [c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in visible)


def main():
    width, height = int(sys.argv[1]), int(sys.argv[2])
    background, foreground, base = THEMES[sys.argv[3]]
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * CELL[0] + 16:.0f}" '
          f'height="{height * CELL[1] + 16:.0f}" font-family="DejaVu Sans Mono, monospace" font-size="13.95">')
    print(f'<rect width="100%" height="100%" fill="{background}"/>')
    style = list(PLAIN)
    for row, line in enumerate(sys.stdin.read().split("\n")[:height]):
        column = 0
        for text, (paint, bold, dim, is_reversed) in runs(line, base, style):
            x, y, cells = 8 + column * CELL[0], 8 + row * CELL[1], columns(text)
            column += cells
            fill, behind = paint or foreground, background
            if is_reversed:
                fill, behind = behind, fill
                print(f'<rect x="{x:.1f}" y="{y:.1f}" width="{cells * CELL[0]:.1f}" height="{CELL[1]}" '
                      f'fill="{behind}"/>')
            if not text.strip():
                continue
            x += (len(text) - len(text.lstrip())) * CELL[0]
            text, cells = text.strip(), columns(text.strip())
            weight = ' font-weight="bold"' if bold else ""
            faint = ' opacity="0.6"' if dim else ""
            print(f'<text x="{x:.1f}" y="{y + 13:.1f}" fill="{fill}" textLength="{cells * CELL[0]:.1f}"{weight}{faint} '
                  f'xml:space="preserve">{escape(text)}</text>')
    print("</svg>")


main()
