"""Instructions per dialect, counted by callgrind: independent of the load of the machine."""

import os
import re
import shutil
import subprocess
import tempfile

from servers import RELEASE, note

BASELINE = "1.0 JSON"
SIDES = {
    "A server": ("read request", "write answer", "write item"),
    "A client": ("write request", "read answer", "read item"),
}
HEADS = {
    "read request": "reads a send", "write answer": "writes the task", "write item": "writes a stream item",
    "write request": "writes a send", "read answer": "reads the task", "read item": "reads a stream item",
}
NOTES = (
    "One send with a text part and metadata, one task with four messages and two artifacts, one artifact update. Reading "
    "a send includes validation of the message; reading the others ends with the 1.0 value. Writing starts from Baton's "
    "domain types. The system allocator is used; the JSON-RPC envelope, HTTP and the disk are not included. ContextCore "
    "has no streams.")


def available():
    return shutil.which("valgrind") is not None


def measure():
    """The lines of the section."""
    if not available():
        raise SystemExit("valgrind is not installed; it counts the instructions (Debian, Ubuntu: apt install valgrind)")
    first, second = count(), count()
    if first != second:
        different = [key for key in first if first[key] != second.get(key)]
        raise SystemExit(f"two runs counted different instructions: {different}")
    dialects = list(dict.fromkeys(dialect for dialect, _ in first))
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
    lines = ["## Instructions per operation", "", f"Counted by callgrind, twice with the same result; {version}.",
             NOTES]
    for side, operations in SIDES.items():
        lines += ["", f"| {side} |" + "".join(f" {HEADS[name]} | |" for name in operations) + " bytes of the task |",
                  "|---|" + "---:|---:|" * len(operations) + "---:|"]
        for dialect in dialects:
            cells = ""
            for operation in operations:
                cost, _ = first.get((dialect, operation), (None, None))
                base, _ = first[(BASELINE, operation)]
                cells += f" {cost:,.0f} | {cost / base:.2f}x |" if cost else " | |"
            lines.append(f"| {dialect} |{cells} {first[(dialect, 'write answer')][1]:,} |")
    return lines


def count():
    """{(dialect, operation): (instructions of one, bytes)}, from one run."""
    with tempfile.TemporaryDirectory(prefix="baton-instructions-") as directory:
        out = os.path.join(directory, "callgrind.out")
        # The patterns must differ: callgrind keeps one setting for each.
        command = [shutil.which("valgrind"), "--tool=callgrind", "--combine-dumps=yes", f"--callgrind-out-file={out}",
                   "--toggle-collect=*counted_section*", "--dump-after=instructions::counted_section",
                   "./instructions"]
        note("counting instructions")
        # Fixed environment and path: they are on the stack, so their lengths affect alignment and instructions.
        done = subprocess.run(command, capture_output=True, text=True, cwd=RELEASE, env={"LC_ALL": "C"})
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
        with open(out, encoding="utf-8", errors="replace") as dumps:
            totals = [int(number) for number in re.findall(r"^totals: (\d+)", dumps.read(), re.MULTILINE)]
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    # The last dump covers the time after the last section and must be empty.
    if len(totals) != len(rows) + 1 or totals[-1] != 0:
        raise SystemExit(f"callgrind wrote {len(totals)} counts for {len(rows)} operations")
    return {(dialect, operation): (total / int(times), int(size))
            for (dialect, operation, times, size), total in zip(rows, totals)}
