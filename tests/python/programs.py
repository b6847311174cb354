"""Processes started by a check, each in its own folder, and functions that wait for their output."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def say(text):
    print(text, flush=True)


def free_ports(count):
    """Distinct loopback ports that are currently free."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def wait_for(condition, probe, seconds=60.0):
    """Calls `probe` until it returns a true value; fails with the name of the condition after the timeout."""
    end = time.monotonic() + seconds
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"timed out after {seconds:.0f} seconds: {condition}")
        time.sleep(0.1)


def fetch(url, body=None, headers=None, timeout=30):
    """Sends a request and returns the JSON of the response."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    with urllib.request.urlopen(request, timeout=timeout) as reply:
        return json.loads(reply.read())


def text_of(url):
    with urllib.request.urlopen(url, timeout=30) as reply:
        return reply.read().decode()


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status < 500
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False


class Program:
    """A process with its own folder and log; it gets only the given environment variables and PATH, HOME and LANG."""

    def __init__(self, name, command, folder, variables=None):
        self.name, self.command, self.folder, self.variables = name, command, folder, variables or {}
        self.log = folder / f"{name}.log"
        self.process = None

    def start(self):
        environment = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env={**environment, **self.variables},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        return self

    def ready(self, url, seconds=60.0):
        def is_up():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} ended with {self.process.returncode}:\n{self.tail()}")
            return answers(url)

        wait_for(f"{self.name} answers at {url}", is_up, seconds)
        return self

    def kill(self):
        """Sends SIGKILL, as the kernel does when memory is exhausted."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        """Terminates the process, and kills it after 30 seconds; does nothing if it has already ended."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()

    def tail(self):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])


class Workspace:
    """A folder for one check and the programs that it started; the folder is deleted if the check passes."""

    def __init__(self, name):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"baton-{name}-"))
        self.programs = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for program in reversed(self.programs):
            program.end()
        if kind is None:
            shutil.rmtree(self.folder)
        else:
            for program in self.programs:
                say(f"--- {program.name}\n{program.tail()}")
            say(f"logs and data are in {self.folder}")

    def program(self, name, command, variables=None):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        program = Program(name, command, folder, variables)
        self.programs.append(program)
        return program


def run(checks):
    """Runs (name, check) pairs in sequence and prints the duration of each."""
    for name, check in checks:
        begun = time.monotonic()
        try:
            remark = check()
        except Exception:
            say(f"FAILED  {name}")
            raise
        say(f"ok      {name} ({time.monotonic() - begun:.1f} s){': ' + remark if remark else ''}")
