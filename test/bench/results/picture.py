"""The gains of a folder of results as one picture in SVG: a strip for each line of the page's first table.

A tick is a row, the dot the geometric mean; the axis is logarithmic, and what lies
beyond its ends is drawn there. The text follows from the data alone, so that a
picture that is not current is noticed.
"""

import math
from xml.sax.saxutils import escape

import page
import results

LEAST, MOST = 0.25, 8.0  # of the axis
LEFT, WIDE, HIGH, TOP = 330, 560, 20, 34
COLOURS = {"behind": "#b3262e", "ahead": "#1f6f43", "line": "#8a8f98", "text": "#30343a"}


def across(gain):
    """Where a gain lies, in pixels."""
    part = math.log(min(max(gain, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return round(LEFT + WIDE * part, 1)


def text(x, y, words, anchor="start", size=11):
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{COLOURS["text"]}">{escape(words)}</text>'


def strip(at, name, gains):
    y = TOP + HIGH * at + HIGH / 2
    mean = results.geometric_mean(gains)
    colour = COLOURS["ahead" if mean >= 1 else "behind"]
    lines = [text(LEFT - 8, y + 4, name, "end"),
             f'<line x1="{across(gains[0])}" y1="{y}" x2="{across(gains[-1])}" y2="{y}" stroke="{COLOURS["line"]}"/>']
    lines += [f'<line x1="{x}" y1="{y - 4}" x2="{x}" y2="{y + 4}" stroke="{COLOURS["line"]}" stroke-width="0.6"/>' for x in sorted({across(gain) for gain in gains})]
    return [*lines, f'<circle cx="{across(mean)}" cy="{y}" r="4" fill="{colour}"/>', text(LEFT + WIDE + 12, y + 4, f"{mean:.2f}")]


def picture(folder):
    """The SVG. Least mean first, so that what is behind is read first."""
    strips = [(f"{name}, {of}, beside {other}", list(rows.values()))
              for name, (_, document) in page.newest(folder).items() for (of, other), rows in page.gains(document).items()]
    strips.sort(key=lambda each: (results.geometric_mean(each[1]), each[0]))
    height = TOP + HIGH * len(strips) + 8
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDE + 60}" height="{height}" font-family="sans-serif" role="img">',
             "<title>Gains beside peers, a row a tick, the geometric mean a dot</title>", '<rect width="100%" height="100%" fill="white"/>']
    mark = LEAST
    while mark <= MOST:
        x = across(mark)
        lines += [f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{height - 8}" stroke="{COLOURS["line"]}" stroke-width="{1.2 if mark == 1 else 0.4}"/>',
                  text(x, TOP - 12, f"{mark:g}", "middle")]
        mark *= 2
    for at, (name, gains) in enumerate(strips):
        lines += strip(at, name, gains)
    return "\n".join([*lines, "</svg>"]) + "\n"
