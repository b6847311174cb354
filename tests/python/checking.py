"""What checks expect, and how they are run one after the other."""

import asyncio
import time
import traceback

# Far more than any check needs, in seconds.
BOUND = 60


class Unexpected(Exception):
    """What the server did is not what a client may rely on."""


def expect(what, actual, wanted):
    if actual != wanted:
        raise Unexpected(f"{what}:\n    wanted {wanted!r}\n    got    {actual!r}")


def require(what, condition):
    if not condition:
        raise Unexpected(what)


async def run(checks):
    """Runs (name, check) one after the other, a line each; returns the exit status."""
    for name, check in checks:
        begun = time.monotonic()
        try:
            await asyncio.wait_for(check(), BOUND)
        except asyncio.TimeoutError:
            print(f"FAILED  {name}\n  it took longer than {BOUND} seconds")
            return 1
        except Exception as error:
            print(f"FAILED  {name}")
            print(f"  {error}" if isinstance(error, Unexpected) else traceback.format_exc())
            return 1
        print(f"ok      {name} ({time.monotonic() - begun:.1f} s)", flush=True)
    return 0
