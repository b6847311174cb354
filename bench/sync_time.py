"""The time of one sync, measured without Baton."""

import os
import statistics
import time

# The journal's log has about this size between checkpoints; a commit of one task writes about this much at its end.
FILE_BYTES, WRITE_BYTES = 4 * 1024 * 1024, 8 * 1024


def sync_micros(directory, times=200):
    """Median microseconds of a write and its sync in a file of this directory."""
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, "sync-time")
    chunk, took = b"\x5a" * WRITE_BYTES, []
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.pwrite(descriptor, b"\0" * FILE_BYTES, 0)
        os.fsync(descriptor)
        for number in range(times):
            begun = time.perf_counter()
            os.pwrite(descriptor, chunk, number * WRITE_BYTES % FILE_BYTES)
            os.fsync(descriptor)
            took.append((time.perf_counter() - begun) * 1e6)
    finally:
        os.close(descriptor)
        os.remove(path)
    return statistics.median(took)
