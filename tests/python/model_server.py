"""Serves a local model with an OpenAI-compatible API until SIGTERM.

Usage: model_server.py WEIGHTS PORT
"""

import signal
import sys
import threading

import xllamacpp


def main(weights, port):
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    settings = xllamacpp.CommonParams()
    settings.model.path = weights
    settings.n_ctx = 4096
    settings.hostnames = ["127.0.0.1"]
    settings.port = int(port)
    settings.use_jinja = True
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    ended.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
