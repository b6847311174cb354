"""The measured servers and the load generator."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
RELEASE = os.path.join(HERE, "target", "release")
WARMUP_SECONDS = 1


def note(text):
    print(text, file=sys.stderr, flush=True)


def load(url, mode, connections, seconds=None, count=None, text=None, protocol="jsonrpc", warmup=WARMUP_SECONDS,
         model=None, expect=None, rate=None):
    """Runs the load generator and returns its result."""
    command = [os.path.join(RELEASE, "load"), "--url", url, "--connections", str(connections), "--protocol", protocol]
    command += ["--mode", mode] if mode else []
    command += ["--count", str(count)] if count else ["--seconds", str(seconds), "--warmup", str(warmup)]
    for name, value in (("--text", text), ("--model", model), ("--expect", expect), ("--rate", rate)):
        command += [name, str(value)] if value else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if not done.stdout.strip():
        raise SystemExit(f"the load generator failed: {' '.join(command)}")
    return json.loads(done.stdout)


def answers(url, path):
    """Whether a GET of this path at the server of this URL succeeds."""
    where = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class Server:
    """A server process; its URL appears once it listens."""

    protocols = ("jsonrpc", "rest", "grpc", "jsonrpc-0.3", "rest-0.3", "grpc-0.3")

    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        self.process, self.url, self.grpc_url = None, None, None

    def start(self, timeout=30):
        """Starts the process and waits until it listens; returns the duration in milliseconds."""
        os.makedirs(self.directory, exist_ok=True)
        self.forget_url()
        log = open(os.path.join(self.directory, "log"), "ab")
        out = open(os.path.join(self.directory, "stdout"), "wb")
        begun = time.perf_counter()
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                                        env=os.environ | self.environment())
        log.close()
        out.close()
        while time.perf_counter() - begun < timeout:
            if self.process.poll() is not None:
                break
            self.url = self.find_url()
            if self.url and self.ready():
                return (time.perf_counter() - begun) * 1000
            time.sleep(0.001)
        self.stop()
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as text:
            raise SystemExit(f"{' '.join(self.command())} did not get ready:\n{text.read()[-2000:]}")

    def environment(self):
        """Additional environment variables of the process."""
        return {}

    def forget_url(self):
        pass

    def find_url(self):
        with open(os.path.join(self.directory, "stdout"), encoding="utf-8") as text:
            line = text.readline()
        if not line.endswith("\n"):
            return None
        self.url, *grpc = line.split()
        self.grpc_url = grpc[0] if grpc else None
        return self.url

    def url_of(self, protocol):
        """URL of a protocol; gRPC may have a separate port."""
        return self.grpc_url or self.url if protocol.startswith("grpc") else self.url

    def ready(self):
        return True

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            line = next(line for line in status if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    def processor_seconds(self):
        """CPU time of the process and its workers so far, in user and kernel mode."""
        ticks = 0
        for pid in [self.process.pid, *self.workers()]:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as status:
                fields = status.read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def workers(self):
        """Child processes."""
        tasks = f"/proc/{self.process.pid}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/children", encoding="utf-8") as children:
                yield from children.read().split()


class RustPeer(Server):
    name = "rust"
    title = "a2a-server-lf (memory)"
    protocols = ("jsonrpc", "rest", "grpc")

    def command(self):
        return [os.path.join(RELEASE, "peer-rust")]


class PythonPeer(Server):
    name = "python"
    title = "a2a-sdk (memory)"

    def command(self):
        return [self.options.peer_python, os.path.join(HERE, "peer-python", "server.py")]


class Environment(Server):
    """An agent's Environment with its own tool."""

    name = "environment"
    title = "Environment"

    def command(self):
        return [os.path.join(RELEASE, "environment")]


class Gateway(Server):
    """An Environment that forwards calls to the tool of another MCP server."""

    name = "gateway"
    title = "Environment, tool of a server behind it"

    def __init__(self, options, directory):
        super().__init__(options, directory)
        self.behind = BareRmcp(options, os.path.join(directory, "behind"))

    def command(self):
        return [os.path.join(RELEASE, "environment"), self.behind.url]

    def start(self, timeout=30):
        begun = time.perf_counter()
        self.behind.start(timeout)
        super().start(timeout)
        return (time.perf_counter() - begun) * 1000

    def stop(self, how=signal.SIGTERM):
        super().stop(how)
        self.behind.stop(how)


class BareRmcp(Server):
    name = "rmcp"
    title = "bare rmcp"

    def command(self):
        return [os.path.join(RELEASE, "bare-rmcp")]


class FastMcp(Server):
    name = "fastmcp"
    title = "FastMCP"

    def command(self):
        return [self.options.fastmcp_python, os.path.join(HERE, "peer-fastmcp", "server.py")]


class AssignedPortServer(Server):
    """A server with an assigned port and a readiness endpoint."""

    def forget_url(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def find_url(self):
        return f"http://127.0.0.1:{self.port}/v1/responses"

    def ready(self):
        return answers(self.url, self.health)


class Aimock(AssignedPortServer):
    name = "aimock"
    title = "aimock"
    health = "/health"

    def command(self):
        program = os.path.join(HERE, "peer-aimock", "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
        fixtures = os.path.join(HERE, "peer-aimock", "fixtures.json")
        return [self.options.node, program, "--port", str(self.port), "--fixtures", fixtures, "--strict",
                "--chunk-size", "4096", "--log-level", "silent"]


class Litellm(AssignedPortServer):
    """LiteLLM's proxy as its production guide recommends: one worker per core, only errors are logged."""

    name = "litellm"
    title = "litellm"
    health = "/health/liveliness"

    def __init__(self, options, directory, aimock):
        super().__init__(options, directory)
        self.aimock = aimock

    def command(self):
        program = os.path.join(os.path.dirname(self.options.litellm_python), "litellm")
        config = os.path.join(HERE, "peer-litellm", "config.yaml")
        return [program, "--config", config, "--host", "127.0.0.1", "--port", str(self.port),
                "--num_workers", str(os.cpu_count())]

    def environment(self):
        # No authentication, as for Baton, and no download of prices.
        return {"AIMOCK_BASE": self.aimock.url.removesuffix("/responses"), "LITELLM_MODE": "PRODUCTION",
                "LITELLM_LOG": "ERROR", "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
                "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


class Baton(Server):
    name = "baton"
    title = "Baton (durable)"

    def __init__(self, options, directory, agent="echo"):
        super().__init__(options, directory)
        self.agent = agent
        self.data = os.path.join(directory, "data")

    def command(self):
        agent = os.path.join(HERE, "agents", self.agent)
        return [self.options.baton, "up", agent, "--port", "0", "--data", self.data]

    def forget_url(self):
        # A killed server leaves its file behind, with the old address.
        if os.path.exists(self.file()):
            os.remove(self.file())

    def find_url(self):
        try:
            with open(self.file(), encoding="utf-8") as text:
                server = json.load(text)
        except (OSError, ValueError):
            return None
        return f"{server['url'].rstrip('/')}/agents/{self.agent}" if server.get("pid") == self.process.pid else None

    def url_of(self, protocol):
        return self.url.partition("/agents/")[0] + "/v1/responses" if protocol == "responses" else self.url

    def ready(self):
        return answers(self.url, "/readyz")

    def file(self):
        return os.path.join(self.data, "server.json")

    def disk_mb(self):
        return sum(os.path.getsize(os.path.join(self.data, name)) for name in os.listdir(self.data)) / 1024 / 1024


class BatonWithoutSpans(Baton):
    name = "no-spans"
    title = "Baton (durable), without spans"

    def environment(self):
        return {"OTEL_ENABLED": "false"}
