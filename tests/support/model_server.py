#!/usr/bin/env python3
"""A scripted model on loopback: what a coding agent talks to in the tests, in place of a real model.

    model_server.py PORTFILE SCRIPT [CERTIFICATE KEY]

It speaks as much of the Messages API as Claude Code needs (ANTHROPIC_BASE_URL=http://127.0.0.1:PORT), and follows one
conversation. Asked by an agent that has a shell tool, it wants one command run; shown the result, it says its last
words. SCRIPT is a JSON file, such as {"command": "echo hello > hello.txt", "say": "done"}.

With a certificate it speaks TLS. The port is in PORTFILE as soon as connections are accepted. Each request is logged to stderr, and the result that the
model is shown, too. It serves until its input ends.
"""

import json
import os
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHELL_TOOL = "Bash"


def next_turn(script, request):
    """The content block that the model answers with, and why it stops there."""
    words = {"type": "text", "text": script["say"]}
    result = tool_result(request)
    if result is not None:
        print("result", json.dumps(result), file=sys.stderr, flush=True)
        return words, "end_turn"
    # Without tools it is a side request, such as one for a title.
    if SHELL_TOOL not in [tool.get("name") for tool in request.get("tools", [])]:
        return words, "end_turn"
    arguments = {"command": script["command"], "description": "the scripted command"}
    return {"type": "tool_use", "id": "toolu_scripted", "name": SHELL_TOOL, "input": arguments}, "tool_use"


def tool_result(request):
    for turn in request.get("messages", []):
        content = turn.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_result":
                return block.get("content")
    return None


def message(request, content, stop_reason):
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def stream(request, block, stop_reason):
    """The same message as events: an empty one, its block, which arrives in a single piece, and its end."""
    if block["type"] == "tool_use":
        empty, piece = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty, piece = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    yield {"type": "message_start", "message": message(request, [], None)}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": piece}
    yield {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": stop_reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script = {}

    def do_HEAD(self):
        self.answer("application/json", b"")

    def do_GET(self):
        self.answer_json({"data": [], "has_more": False})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.partition("?")[0]
        if path == "/v1/messages":
            self.answer_turn(json.loads(body))
        elif path == "/v1/messages/count_tokens":
            self.answer_json({"input_tokens": 1})
        else:
            self.answer_json({})

    def answer_turn(self, request):
        block, stop_reason = next_turn(self.script, request)
        if not request.get("stream"):
            self.answer_json(message(request, [block], stop_reason))
            return
        events = stream(request, block, stop_reason)
        lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
        self.answer("text/event-stream", "".join(lines).encode())

    def answer_json(self, value):
        self.answer("application/json", json.dumps(value).encode())

    def answer(self, content_type, body):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        print(self.command, self.path, "key", self.headers.get("x-api-key"), file=sys.stderr, flush=True)


def write_atomically(path, text):
    unfinished = path + ".new"
    with open(unfinished, "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(unfinished, path)


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit("usage: model_server.py PORTFILE SCRIPT [CERTIFICATE KEY]")
    with open(sys.argv[2], encoding="utf-8") as file:
        Model.script = json.load(file)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    if len(sys.argv) == 5:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3], sys.argv[4])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    write_atomically(sys.argv[1], f"{server.server_port}\n")
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
