#!/usr/bin/env python3
"""Hosts of the internet for the tests, on loopback: one that speaks HTTP, one that speaks TLS with a certificate made here.

    web_server.py DIRECTORY

Files are served from DIRECTORY/www. As soon as connections are accepted, DIRECTORY/ports holds both ports, and
DIRECTORY/ca.pem what to trust. Each request is a line of DIRECTORY/log. It serves until its input ends.

/echo answers with what was asked; /events sends one event, and the next when somebody has asked for /go; /big is a megabyte.
"""

import os
import ssl
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

NAMES = ["tls.test", "api.test", "git.test", "npm.test", "localhost"]


def make_certificates(directory):
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, cwd=directory, stderr=subprocess.DEVNULL)

    names = ",".join("DNS:" + name for name in NAMES)
    with open(os.path.join(directory, "names"), "w", encoding="utf-8") as file:
        file.write(f"subjectAltName={names}\n")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Test CA", "-keyout", "ca.key",
            "-out", "ca.pem", "-addext", "basicConstraints=critical,CA:TRUE")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=tls.test", "-keyout", "host.key", "-out", "host.csr")
    openssl("x509", "-req", "-in", "host.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "host.pem")
    os.chmod(os.path.join(directory, "ca.pem"), 0o644)


class Host(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    directory_of_all = ""
    go = threading.Event()

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=os.path.join(self.directory_of_all, "www"))

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/echo":
            self.answer(self.asked().encode())
        elif path == "/big":
            self.answer(b"x" * (1 << 20))
        elif path == "/go":
            Host.go.set()
            self.answer(b"gone\n")
        elif path == "/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.chunk(b"data: first\n\n")
            self.chunk(b"data: second\n\n" if Host.go.wait(60) else b"data: late\n\n")
            self.chunk(b"")
        else:
            super().do_GET()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(self.asked().encode() + body)

    def asked(self):
        keys = " ".join(f"{name}={self.headers.get(name)}" for name in ["Host", "X-Api-Key", "Authorization"])
        return f"{self.command} {self.path} {keys}\n"

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def log_message(self, *_):
        with open(os.path.join(self.directory_of_all, "log"), "a", encoding="utf-8") as file:
            file.write(self.asked())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: web_server.py DIRECTORY")
    directory = Host.directory_of_all = sys.argv[1]
    os.makedirs(os.path.join(directory, "www"), exist_ok=True)
    make_certificates(directory)
    plain = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    tls = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(directory, "host.pem"), os.path.join(directory, "host.key"))
    tls.socket = context.wrap_socket(tls.socket, server_side=True, do_handshake_on_connect=False)
    for server in [plain, tls]:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    unfinished = os.path.join(directory, "ports.new")
    with open(unfinished, "w", encoding="utf-8") as file:
        file.write(f"{plain.server_port} {tls.server_port}\n")
    os.rename(unfinished, os.path.join(directory, "ports"))
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
