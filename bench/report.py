"""The report: measured sections, their origin, and the blocks that other pages repeat.

Usage: report.py   (copies the blocks of bench/RESULTS.md into the other pages)
"""

import os
import platform
import re
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "RESULTS.md")

SECTIONS = ("servers", "extras", "crashes", "handoffs", "queue", "bindings", "mcp", "responses", "spans", "growth",
            "instructions")
# Sections that `make bench` does not run by default, because they need another build.
OTHER_SECTIONS = ("builds",)

# Pages that repeat blocks of the report.
PAGES = ("README.md", "bench/README.md", "docs/performance.md")
FIGURES = re.compile(r"<!-- figures: (\S+) -->\n(.*?)\n?<!-- end of figures -->", re.DOTALL)
COMMIT = re.compile(r"at commit `([0-9a-f]{7,40})`")


def git(*arguments):
    """Output of git in this checkout; nothing if it fails."""
    try:
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def origin():
    """Date, commit, machine and load average; call it before the measurement."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), model)
    except OSError:
        pass
    commit = git("rev-parse", "--short=12", "HEAD")
    changed = ", with uncommitted changes" if git("status", "--porcelain", "--", "crates", "bench/*/src") else ""
    load_average = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (f"Measured on {time.strftime('%Y-%m-%d')} at commit `{commit or 'unknown'}`{changed}: {os.cpu_count()} cores "
            f"({model}), {platform.system()} {platform.release()}, load average before: {load_average}.")


def splice(text, sections):
    """`text` with these sections replaced; other sections and hand-written text are unchanged."""
    for name, lines in sections.items():
        begin, end = f"<!-- measured: {name} -->", f"<!-- end of {name} -->"
        block = "\n".join([begin, "", *lines, "", end])
        if begin in text and end in text:
            before, rest = text.split(begin, 1)
            text = before + block + rest.split(end, 1)[1]
        else:
            text = text.rstrip("\n") + "\n\n" + block + "\n"
    return text


def section_text(text, name):
    """A measured section of the report; nothing if it is missing."""
    _, begin, rest = text.partition(f"<!-- measured: {name} -->")
    return rest.partition(f"<!-- end of {name} -->")[0] if begin else ""


def figures_block(name, lines):
    """Lines that other pages can repeat under this name."""
    return [f"<!-- figures: {name} -->", *lines, "<!-- end of figures -->"]


SUMMARY_HEAD = ["| Measure | Baton | Beside it |", "|---|---:|---|"]


def summary_block(section, rows):
    """The rows of a section in the summary: measure, figure of Baton, figures of the peers."""
    return figures_block(f"summary-{section}", [*SUMMARY_HEAD, *(f"| {' | '.join(row)} |" for row in rows)])


def summary(text):
    """The summaries of all sections, with the command that repeats each row."""
    lines = [f"{SUMMARY_HEAD[0]} Repeat with |", f"{SUMMARY_HEAD[1]}---|"]
    blocks = dict(FIGURES.findall(text))
    for name in SECTIONS:
        rows = blocks.get(f"summary-{name}", "").split("\n")[len(SUMMARY_HEAD):]
        lines += [f'{row} `make bench ARGS="--only {name}"` |' for row in rows]
    return figures_block("summary", lines)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def write(path, sections):
    """Writes the sections and the summary; from the committed report, also the blocks of other pages."""
    text = splice(read(path) or "# Benchmark\n", sections)
    text = splice(text, {"summary": ["## Summary", "", *summary(text)]})
    write_text(path, text)
    if os.path.abspath(path) == RESULTS:
        repeat_figures(text)


def repeat_figures(text):
    """Copies the blocks of the report into the pages that repeat them."""
    blocks = dict(FIGURES.findall(text))
    for page in PAGES:
        path = os.path.join(ROOT, page)
        write_text(path, FIGURES.sub(lambda found: "\n".join(figures_block(
            found[1], [blocks.get(found[1], found[2])])), read(path)))


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def milliseconds(micros):
    return f"{micros / 1000:.2f} ms" if micros < 100_000 else f"{micros / 1000:.0f} ms"


def per_second(result):
    return f"{result['per_second']:,.0f}"


def counted(connections):
    return "one connection" if connections == 1 else f"{connections} connections"


def yes(reached):
    return "yes" if reached else "no"


if __name__ == "__main__":
    repeat_figures(read(RESULTS))
