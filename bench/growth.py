"""How cost grows with stored tasks, agents, events of a task and subscribers: tables, growth exponents and plots."""

import json
import math
import os
import subprocess
from collections import namedtuple

import growth_agents
import growth_events
import growth_subscribers
import growth_tasks
import report
from servers import HERE, note

PLOTS = os.path.join(report.ROOT, "docs", "plots")

# Exponents of y = c * x^e: cost in proportion to the size, and cost that hardly depends on it.
LINEAR, FLAT = 1.1, 0.3

# A plot; x values are sizes. Lines are measured in the unit of the plot.
Series = namedtuple("Series", "name title x_title y_title lines note", defaults=("",))
# One measured cost, with the limit of its exponent.
Line = namedtuple("Line", "title unit limit points")

PARTS = (growth_tasks, growth_agents, growth_events, growth_subscribers)

NOTE = (f"The exponent e of cost = c \u00b7 size^e is fitted over all sizes, and taken between the two largest sizes, where constant "
        f"costs weigh least; the larger one counts. A cost of the whole (memory, reading a task, delivering to all "
        f"subscribers) is linear up to an exponent of {LINEAR:g}. A cost of one operation (a send, an append, a page) must be "
        f"nearly constant, with an exponent of at most {FLAT:g}: if it grew in proportion to the size, the sum would be "
        "quadratic.")


def measure(options, directory):
    """The lines of the section; the plots are written if the report is."""
    found = [series for part in PARTS for series in part.measure(options, os.path.join(directory, part.__name__))]
    lines = ["## How cost grows", "", NOTE, ""]
    for series in found:
        lines += [*size_table(series), "", *([series.note, ""] if series.note else [])]
    lines += report.figures_block("growth", exponent_table(found))
    if options.out:
        draw(options, found)
    faster = [line.title for series in found for line in series.lines if not is_bounded(line)]
    rows = [("measured costs that grow faster than their limit", f"{len(faster)} of {sum(len(one.lines) for one in found)}",
             "; ".join(faster))]
    return [*lines, "", *report.summary_block("growth", rows)]


def size_table(series):
    lines = [f"| {series.x_title} |" + "".join(f" {line.title} |" for line in series.lines),
             "|---:|" + "---:|" * len(series.lines)]
    for number, (size, _) in enumerate(series.lines[0].points):
        cells = "".join(f" {shown(line.points[number][1])} {line.unit} |" for line in series.lines)
        lines.append(f"| {size:,} |{cells}")
    return lines


def exponent_table(found):
    lines = ["| Cost | by | exponent, all sizes | last two sizes | limit | met |", "|---|---|---:|---:|---:|---|"]
    for series in found:
        for line in series.lines:
            lines.append(f"| {line.title} | {series.x_title} | {fitted_exponent(line.points):.2f} | "
                         f"{fitted_exponent(line.points[-2:]):.2f} | {line.limit:g} | {report.yes(is_bounded(line))} |")
    return lines


def is_bounded(line):
    return max(fitted_exponent(line.points), fitted_exponent(line.points[-2:])) <= line.limit


def fitted_exponent(points):
    """Slope of the least squares line through the logarithms."""
    logs = [(math.log(x), math.log(max(y, 1e-9))) for x, y in points]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread if spread else 0.0


def shown(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def draw(options, found):
    directory = PLOTS if os.path.abspath(options.out) == report.RESULTS else f"{options.out}.plots"
    note(f"drawing {len(found)} plots in {directory}")
    subprocess.run([options.plot_python, os.path.join(HERE, "plots", "draw.py"), directory], check=True, text=True,
                   input=json.dumps([one._asdict() | {"lines": [line._asdict() for line in one.lines]} for one in found]))
