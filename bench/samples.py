"""Measurements of one operation by several servers in turn, and their medians and ratios."""

import statistics

from servers import load, note


def measure_in_turn(rows, number, samples, key, measure):
    """Measures every row once. The order rotates, so that no row is always first or always after the same one."""
    first = number % len(rows)
    for name, server in rows[first:] + rows[:first]:
        result = measure(server)
        samples.setdefault((name, *key), []).append(result)
        shown = " ".join(str(part) for part in key)
        errors = f"  ERRORS {result['errors']}" if result["errors"] else ""
        note(f"{name:12} {shown:14} round {number + 1}: {result['per_second']:9.0f}/s  p50 {result['p50_us']:>6} us  "
             f"{result['processor_us']:7.1f} us of processor{errors}")


def load_with_processor(server, mode, connections, **options):
    """The result of the load generator, with the processor time of the server per served operation."""
    before = server.processor_seconds()
    result = load(server.url_of(options.get("protocol", "jsonrpc")), mode, connections, **options)
    result["processor_us"] = (server.processor_seconds() - before) / max(result["served"], 1) * 1e6
    return result


def middle(found, key="per_second"):
    """The measurement with the median of this figure."""
    return sorted(found, key=lambda one: one[key])[len(found) // 2]


def median_of(found, key):
    return statistics.median(one[key] for one in found)


def ratios(found, others, key="per_second"):
    """Ratios of the measurements of the same rounds."""
    return [one[key] / max(other[key], 1e-9) for one, other in zip(found, others)]


def median_with_range(values):
    """Table cells: the median of ratios, and the lowest and highest."""
    return f"{statistics.median(values):.2f}x | {min(values):.2f} to {max(values):.2f}"


def errors_of(samples):
    return sum(one["errors"] for found in samples.values() for one in found)
