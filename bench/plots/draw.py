"""Draws the series of `growth` as SVG files; the same figures give the same bytes.

Usage: plots.py DIR < SERIES   (a JSON array of objects with name, title, x_title, y_title and lines)
"""

import json
import math
import os
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "baton", "svg.fonttype": "none", "font.size": 9, "font.family": "sans-serif"})

from matplotlib import pyplot  # noqa: E402, the backend is selected first

MARKERS = "os^Dv"


def draw(series, path):
    figure, axes = pyplot.subplots(figsize=(5, 3), layout="constrained")
    for number, line in enumerate(series["lines"]):
        points = line["points"]
        axes.plot([x for x, _ in points], [y for _, y in points], marker=MARKERS[number % len(MARKERS)], label=line["title"])
    axes.set(title=series["title"], xlabel=series["x_title"], ylabel=series["y_title"], xscale="log", yscale="log")
    # Whole decades, so that a small change does not look like a large one.
    values = [y for line in series["lines"] for _, y in line["points"]]
    axes.set_ylim(10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values) * 1.01)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
    axes.minorticks_off()
    axes.grid(True, which="major", linewidth=0.4)
    axes.legend(frameon=False)
    # Without the date and the version of the library, which would change the file.
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    for series in json.load(sys.stdin):
        draw(series, os.path.join(directory, f"{series['name']}.svg"))


if __name__ == "__main__":
    main()
