"""The span store compared with SQLite and DuckDB."""

import json
import os
import shutil
import subprocess

import report
from report import yes
from servers import HERE, RELEASE, note

SMALL = 1_000_000
PROGRAM = os.path.join(RELEASE, "spans")
# Targets of the measurements.
TARGETS = {"per_second": 100_000, "p50": 20, "p99": 100, "trace": 10, "resident": 400, "opened": 1000,
           "measured": 100}


def run(*arguments, program=PROGRAM):
    note(f"spans: {' '.join(arguments)}")
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def drop_page_cache():
    """Drops the page cache, if permitted; returns whether it succeeded."""
    try:
        subprocess.run(["sync"], check=True)
        with open("/proc/sys/vm/drop_caches", "w", encoding="utf-8") as caches:
            caches.write("3\n")
        return True
    except OSError:
        return False


def measure(options, directory):
    many = SMALL if options.quick else 10_000_000
    os.makedirs(directory, exist_ok=True)
    store = os.path.join(directory, "spans-many")
    lines = ["## The span store", "", "Spans have 12 attributes, with 10 spans per trace, and are acknowledged "
             "when they are on disk; 600 selective queries of six kinds, each run once, in a new process.", ""]
    filled = run("fill", store, str(many))
    cold = run("ask", store, str(many)) if drop_page_cache() else None
    warm = run("ask", store, str(many))
    # Retention deletes whole blocks, and a million spans can be one block.
    kept = None if options.quick else run("retain", store, str(many), str(many // 10))
    shutil.rmtree(store)
    lines += overview(many, filled, cold, warm, kept)
    lines += ["", "| Query | p50 | p99 |", "|---|---:|---:|"]
    lines += [f"| {kind['kind']} | {kind['p50_ms']:.2f} ms | {kind['p99_ms']:.2f} ms |" for kind in warm["kinds"]]
    lines += [f"| {one['kind']} (once; 20 traces at most) | {one['ms']:.2f} ms | |" for one in warm["broad"]]
    compared, beside = database_comparison(options, directory)
    asked, queries = cold or warm, f"selective TraceQL queries over {many:,} spans{' on a cold disk' if cold else ''}"
    rows = [(f"durable spans per second, {many:,} spans", f"{filled['per_second']:,.0f}", ""),
            *((f"{queries}, {key}", f"{asked[key + '_ms']:.2f} ms", "") for key in ("p50", "p99")), *beside]
    return [*lines, "", *compared, "", *report.summary_block("spans", rows)]


def overview(many, filled, cold, warm, kept):
    def row(title, got, wanted, good):
        return f"| {title} | {got} | {wanted} | {yes(good)} |"

    million = f"{many / 1e6:g} million spans"
    lines = [f"| {million} | measured | target | met |", "|---|---:|---:|---|",
             row("ingest", f"{filled['per_second']:,.0f}/s", f"{TARGETS['per_second']:,}/s",
                 filled["per_second"] >= TARGETS["per_second"]),
             row("resident memory while ingesting", f"{filled['resident_mb']} MB", f"< {TARGETS['resident']} MB",
                 filled["resident_mb"] < TARGETS["resident"])]
    for title, asked in (("from disk, caches dropped", cold), ("pages in the system's cache", warm)):
        if not asked:
            continue
        lines += [row(f"open, {title}", f"{asked['opened_ms']:.0f} ms", f"< {TARGETS['opened']} ms",
                      asked["opened_ms"] < TARGETS["opened"]),
                  row(f"selective search p50, {title}", f"{asked['p50_ms']:.2f} ms", f"< {TARGETS['p50']} ms",
                      asked["p50_ms"] < TARGETS["p50"]),
                  row(f"selective search p99, {title}", f"{asked['p99_ms']:.2f} ms", f"< {TARGETS['p99']} ms",
                      asked["p99_ms"] < TARGETS["p99"]),
                  row(f"trace by id p99, {title}", f"{asked['trace_p99_ms']:.2f} ms", f"< {TARGETS['trace']} ms",
                      asked["trace_p99_ms"] < TARGETS["trace"]),
                  row(f"resident memory after the queries, {title}", f"{asked['resident_mb']} MB",
                      f"< {TARGETS['resident']} MB", asked["resident_mb"] < TARGETS["resident"])]
    if kept:
        lines.append(f"| retention to about a tenth: {kept['seconds']:.2f} s, {kept['kept']:,} spans kept, {kept['asked']} "
                     f"queries meanwhile | p99 {kept['p99_ms']:.2f} ms | serves | yes |")
    lines.append(f"| size on disk | {filled['bytes'] / 1e9:.2f} GB | | |")
    return lines


def database_comparison(options, directory):
    """The lines of the comparison, and its rows of the summary."""
    small = SMALL // 10 if options.quick else SMALL
    own = os.path.join(directory, "spans-small")
    ours = run("fill", own, str(small))
    ours |= {key: value for key, value in run("ask", own, str(small)).items() if key.endswith("_ms")}
    measured = run("measure", own, str(small), "20")
    table = run("sqlite", os.path.join(directory, "sqlite"), str(small))
    rows, questions = os.path.join(directory, "rows.csv"), os.path.join(directory, "questions.json")
    with open(questions, "w", encoding="utf-8") as file:
        json.dump(run("rows", rows, str(small)), file)
    script = os.path.join(HERE, "peer-duckdb", "ask.py")
    duck = run(script, rows, questions, os.path.join(directory, "duck.db"), program=options.duckdb_python)
    lines = [f"| {small:,} spans | ingest | selective search p50 | p99 | size | ingest, Baton's ratio | p50, Baton's ratio |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for title, found in (("Baton", ours), ("SQLite, a row for each attribute", table), ("DuckDB, fixed columns", duck)):
        ratios = " | |" if found is ours else (f" {ours['per_second'] / found['per_second']:.1f}x | "
                                              f"{found['p50_ms'] / ours['p50_ms']:.1f}x |")
        lines.append(f"| {title} | {found['per_second']:,.0f}/s | {found['p50_ms']:.2f} ms | {found['p99_ms']:.2f} ms "
                     f"| {found['bytes'] / 1e6:.0f} MB |{ratios}")
    beside = [(f"{title}, {small:,} spans", shown(ours), f"SQLite {shown(table)}; DuckDB {shown(duck)}")
              for title, shown in (("durable spans per second", lambda found: f"{found['per_second']:,.0f}"),
                                   ("selective queries, p50", lambda found: f"{found['p50_ms']:.2f} ms"))]
    return lines + ["", *metrics(measured)], beside


def metrics(measured):
    """Metrics queries over all spans, each run twenty times; those about whole traces with their ratio to a count of
    single spans."""
    lines = [f"| Metrics over {measured['spans']:,} spans in {measured['blocks']} blocks | intervals | series | p50 | max "
             "| ratio to the first | target | met |", "|---|---:|---:|---:|---:|---:|---:|---|"]
    for one in measured["questions"]:
        target, met = f"< {TARGETS['measured']} ms", one["p50_ms"] < TARGETS["measured"]
        ratio = ""
        if one["ratio"] is not None:
            target, met = f"at most {one['max_ratio']:.0f}x", one["ratio"] <= one["max_ratio"]
            ratio = f"{one['ratio']:.1f}x"
        lines.append(f"| {one['kind']} | {one['intervals'].split()[0]} | {one['series']} | {one['p50_ms']:.1f} ms "
                     f"| {one['max_ms']:.1f} ms | {ratio} | {target} | {yes(met)} |")
    return lines
