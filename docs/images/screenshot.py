"""Draws what stands in a tmux pane as an SVG: a screenshot that is text.

    tmux capture-pane -p -e -t PANE | python3 docs/images/screenshot.py TITLE > docs/images/NAME.svg
"""
import html
import re
import sys
import unicodedata

CELL, LINE, MARGIN, BAR = 8.4, 19, 16, 30
COLOURS = {"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "34": "#61afef", "35": "#c678dd", "36": "#56b6c2"}


def width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def spans(line: str):
    """Pieces of a line with their place and style."""
    style, at = "", 0
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if codes:
            for code in codes[1].split(";"):
                style = {"": "", "0": "", "2": "opacity:.6", "1": "font-weight:bold"}.get(
                    code, f"fill:{COLOURS[code]}" if code in COLOURS else style)
        elif piece:
            yield at, piece, style
            at += width(piece)


lines = sys.stdin.read().rstrip("\n").split("\n")
columns = max(60, *(width(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines))
w, h = columns * CELL + 2 * MARGIN, len(lines) * LINE + BAR + 2 * MARGIN
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0f} {h}" width="{w:.0f}" height="{h}">')
print(f'<rect width="100%" height="100%" rx="8" fill="#1f2329"/><g fill="#555c66"><circle cx="20" cy="16" r="5"/>'
      '<circle cx="38" cy="16" r="5"/><circle cx="56" cy="16" r="5"/></g>')
print(f'<text x="{w / 2:.0f}" y="20" fill="#8b929c" font-family="sans-serif" font-size="12" text-anchor="middle">'
      f"{html.escape(sys.argv[1])}</text>")
print('<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14" fill="#d7dae0" '
      'xml:space="preserve">')
for row, line in enumerate(lines):
    for at, text, style in spans(line):
        x, y = MARGIN + at * CELL, BAR + MARGIN + (row + 0.75) * LINE
        css = f' style="{style}"' if style else ""
        length = width(text) * CELL
        print(f'<text x="{x:.1f}" y="{y:.1f}" textLength="{length:.1f}"{css}>{html.escape(text)}</text>')
print("</g></svg>")
