"""Assertions for checks, and a runner that executes checks in sequence."""

import asyncio
import time
import traceback

# Seconds; far more than any check needs.
CHECK_TIMEOUT = 60


class CheckFailure(Exception):
    """The server violated an expectation of a check."""


def expect(label, actual, wanted):
    if actual != wanted:
        raise CheckFailure(f"{label}:\n    wanted {wanted!r}\n    got    {actual!r}")


def require(label, condition):
    if not condition:
        raise CheckFailure(label)


async def run(checks):
    """Runs (name, check) pairs in sequence and prints one line for each; returns the exit status."""
    for name, check in checks:
        begun = time.monotonic()
        try:
            await asyncio.wait_for(check(), CHECK_TIMEOUT)
        except asyncio.TimeoutError:
            print(f"FAILED  {name}\n  timed out after {CHECK_TIMEOUT} seconds")
            return 1
        except Exception as error:
            print(f"FAILED  {name}")
            print(f"  {error}" if isinstance(error, CheckFailure) else traceback.format_exc())
            return 1
        print(f"ok      {name} ({time.monotonic() - begun:.1f} s)", flush=True)
    return 0
