"""A PostgreSQL cluster in a temporary directory, and a queue in it."""

import glob
import os
import pwd
import shutil
import signal
import statistics
import subprocess
import tempfile

from servers import HERE, AssignedPortServer

DATABASE = "postgres"


class PostgresQueue(AssignedPortServer):
    """A table of jobs. One operation inserts a job, and takes and completes one; both commits are synced."""

    name = "postgres"
    title = "PostgreSQL queue"

    def __init__(self, options, directory):
        super().__init__(options, directory)
        self.programs = options.postgres
        self.data = None

    def command(self):
        return self.as_owner(os.path.join(self.programs, "postgres"), "-D", self.data, "-p", str(self.port),
                             "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
                             "-c", "max_connections=200", "-c", "shared_buffers=256MB")

    def as_owner(self, *command):
        # PostgreSQL refuses to run as root.
        owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
        return [*owner, *command]

    def start(self, timeout=30):
        self.data = tempfile.mkdtemp(prefix="baton-bench-postgres-")
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.data, user.pw_uid, user.pw_gid)
        self.run(*self.as_owner(os.path.join(self.programs, "initdb"), "-D", self.data, "-A", "trust", "-U", "postgres"))
        took = super().start(timeout)
        self.run(os.path.join(self.programs, "psql"), *self.client_options(), "-v", "ON_ERROR_STOP=1", "-f",
                 os.path.join(HERE, "peer-postgres", "schema.sql"))
        return took

    def run(self, *command, cwd="/"):
        done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
        return done.stdout

    def client_options(self):
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]

    def ready(self):
        command = [os.path.join(self.programs, "pg_isready"), "-q", *self.client_options()]
        return subprocess.run(command).returncode == 0

    def stop(self, how=signal.SIGINT):
        super().stop(how)
        if self.data:
            shutil.rmtree(self.data, ignore_errors=True)
            self.data = None

    def processor_seconds(self):
        """CPU time of all processes so far, with that of ended connections."""
        ticks = 0
        for pid in [self.process.pid, *self.workers()]:
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as status:
                    fields = status.read().rpartition(")")[2].split()
            except OSError:
                continue
            ticks += sum(int(field) for field in fields[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def load(self, connections, seconds):
        """Runs pgbench and returns its result like that of the load generator."""
        jobs_before, before = self.completed_jobs(), self.processor_seconds()
        with tempfile.TemporaryDirectory(prefix="baton-bench-pgbench-") as logs:
            self.run(os.path.join(self.programs, "pgbench"), *self.client_options(), "-n", "-M", "prepared", "-l",
                     "-f", os.path.join(HERE, "peer-postgres", "task.sql"), "-c", str(connections), "-j", "1",
                     "-T", str(seconds), DATABASE, cwd=logs)
            spent = self.processor_seconds() - before
            took = sorted(latencies(logs))
        # An update that waits for a row which another one completes takes none, so a few jobs stay in the queue.
        missing = max(0, len(took) - connections - (self.completed_jobs() - jobs_before))
        return {"per_second": len(took) / seconds, "p50_us": statistics.median_low(took),
                "p99_us": took[len(took) * 99 // 100], "errors": missing,
                "processor_us": spent / len(took) * 1e6}

    def completed_jobs(self):
        query = "SELECT count(*) FROM jobs WHERE state = 'completed'"
        return int(self.run(os.path.join(self.programs, "psql"), *self.client_options(), "-At", "-c", query))


def latencies(logs):
    """Microseconds of each operation, from the logs of pgbench."""
    for path in glob.glob(os.path.join(logs, "*")):
        with open(path, encoding="utf-8") as lines:
            yield from (int(line.split()[2]) for line in lines)
