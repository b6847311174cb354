"""A receiver of push notifications on loopback."""

import asyncio
import dataclasses
import http.server
import threading


@dataclasses.dataclass
class Notification:
    """A received request."""

    method: str
    path: str
    headers: dict
    body: bytes


class Webhook:
    """Accepts notifications at any path; the next `refuse_next` requests are answered with 503."""

    def __init__(self):
        self.refuse_next = 0
        self.arrived = asyncio.Queue()

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def take(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                notification = Notification(self.command, self.path, headers, body)
                refuse, receiver.refuse_next = receiver.refuse_next > 0, max(0, receiver.refuse_next - 1)
                # Queued before the response, so that it is in the queue when the sender sees the response.
                loop.call_soon_threadsafe(receiver.arrived.put_nowait, notification)
                self.send_response(503 if refuse else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_POST = do_PUT = take

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    async def __aexit__(self, *_):
        await asyncio.to_thread(self.server.shutdown)
        self.server.server_close()

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    async def next(self):
        return await self.arrived.get()
