"""Compares the cost of operations with the committed baseline, renews it, or shows that planted costs are noticed.

Run by scripts/guard.sh, which builds the program that is counted.
"""

import argparse
import os
import statistics
import sys

import baseline
import operations

BASELINE = os.path.join(operations.BENCH, "baseline.json")
# Cost that is planted to show that the comparison notices it.
PLANTED_PART = 0.10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program `operations`, built with the profile guard")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--renew", metavar="REASON", help="write the baseline, with the reason of the change")
    what.add_argument("--plant", action="store_true", help=f"plant {PLANTED_PART:.0%} of each figure; each must be noticed")
    what.add_argument("--repeat", type=int, metavar="TIMES", help="count several times, and print how far the counts differ")
    parser.add_argument("--only", metavar="NAMES", help="for --plant and --repeat: some operations, separated by commas")
    return parser.parse_args()


def say(text):
    print(text, file=sys.stderr, flush=True)


def read():
    try:
        with open(BASELINE, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def renew(counter, reason):
    """Writes the baseline. A reason is checked before anything is counted."""
    text, here = read(), operations.toolchain()
    previous = baseline.load(text) if text else None
    baseline.new({}, here, reason, previous)
    figures = counter.figures()
    if previous:
        report(*baseline.compare(previous, figures))
    with open(BASELINE, "w", encoding="utf-8") as file:
        file.write(baseline.dump(baseline.new(figures, here, reason, previous)))
    say("bench/baseline.json is renewed; commit it with the change that explains it")


def report(worse, better):
    for line in worse:
        say(f"worse    {line}")
    for line in better:
        say(f"better   {line}")


def check(counter):
    known = comparable()
    if known is None:
        return
    worse, better = baseline.compare(known, counter.figures())
    report(worse, better)
    if worse:
        raise SystemExit(
            f"error: {len(worse)} of the figures above are worse than bench/baseline.json permits.\n"
            "Make the operation cheaper, or give the reason and commit the new baseline with the change:\n"
            f"  {baseline.RENEW}")
    if better:
        say(f"hint: keep what was won by renewing the baseline: {baseline.RENEW}")
    say("the cost of every operation is that of the baseline")


def comparable():
    """The baseline, if figures of this toolchain can be compared with it."""
    text = read()
    if text is None:
        raise SystemExit(f"error: bench/baseline.json is missing; write it: {baseline.RENEW}")
    known = baseline.load(text)
    different = baseline.differences(known, operations.toolchain())
    if not different:
        return known
    message = "costs are not compared, because another toolchain counts differently:\n  " + "\n  ".join(different)
    if os.environ.get("CI"):
        raise SystemExit(f"error: {message}\nRenew the baseline with the new toolchain: {baseline.RENEW}")
    say(message)
    return None


def plant(counter, names):
    """Plants a part of each figure, one kind of figure at a time, and checks that it is noticed."""
    normal = counter.figures(names)
    missed = []
    for figure in ("instructions", "allocations", "allocated_bytes", "resident_bytes"):
        planted = {name: {figure: amount(name, figure, values[figure])}
                   for name, values in normal.items() if figure in values}
        say(f"planted  {figure}")
        counted = [name for name in planted if name in operations.OPERATIONS]
        figures = counter.figures(counted, resident=figure == "resident_bytes", planted=planted)
        worse, _ = baseline.compare({"operations": {name: normal[name] for name in figures}}, figures)
        report(worse, [])
        missed += [f"{name}: {figure}" for name in planted
                   if not any(line.startswith(f"{name}: {figure} ") for line in worse)]
    if missed:
        raise SystemExit(f"error: a planted regression of {PLANTED_PART:.0%} was not noticed: {', '.join(missed)}")
    say(f"every planted regression of {PLANTED_PART:.0%} was noticed")


def amount(name, figure, value):
    """Extra cost of one operation that makes this figure the planted part worse."""
    repetitions = operations.RESIDENT[2] if name == operations.RESIDENT[0] else 1
    return max(1, round(value * PLANTED_PART / repetitions))


def repeat(counter, names, times):
    runs = [counter.figures(names) for _ in range(times)]
    for name in runs[0]:
        for figure in runs[0][name]:
            values = [run[name][figure] for run in runs]
            spread = (max(values) - min(values)) / statistics.median(values)
            say(f"{name:16} {figure:16} {min(values):>12,} to {max(values):>12,}   {spread:.2%}")


def main():
    options = arguments()
    counter = operations.Counter(options.program)
    names = options.only.split(",") if options.only else operations.OPERATIONS
    try:
        if options.renew is not None:
            renew(counter, options.renew)
        elif options.plant:
            plant(counter, names)
        elif options.repeat:
            repeat(counter, names, options.repeat)
        else:
            check(counter)
    except baseline.BaselineError as error:
        raise SystemExit(f"error: {error}") from error


if __name__ == "__main__":
    main()
