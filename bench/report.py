"""Updates the measured sections of the report."""

import os
import platform

DEFAULT_SECTIONS = ("servers", "extras", "bindings", "mcp", "responses", "spans", "instructions")
SECTIONS = (*DEFAULT_SECTIONS, "builds")


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), model)
    except OSError:
        pass
    load_average = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores ({model}), {platform.system()} {platform.release()}, load average before: {load_average}"


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


def write(path, sections):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        text = "# Benchmark\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(splice(text, sections))


def milliseconds(micros):
    return f"{micros / 1000:.2f} ms" if micros < 100_000 else f"{micros / 1000:.0f} ms"


def per_second(result):
    return f"{result['per_second']:,.0f}"
