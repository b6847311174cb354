"""Other programs that keep the cores busy."""

import contextlib
import os
import subprocess
import sys

# Ends with this script, also if the script is killed: the pipe at its standard input is closed then.
SPIN = """
import os, sys, threading
os.sched_setaffinity(0, {int(sys.argv[1])})
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
print("ready", flush=True)
while True:
    pass
"""


@contextlib.contextmanager
def busy_neighbours():
    """One process per core that only computes, pinned to its core, at normal priority."""
    processes = [subprocess.Popen([sys.executable, "-c", SPIN, str(core)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                 for core in sorted(os.sched_getaffinity(0))]
    try:
        for process in processes:
            process.stdout.readline()
        yield
    finally:
        for process in processes:
            process.kill()
            process.communicate()
