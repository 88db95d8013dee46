#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP server over standard input and output, as people have them, and with what bad ones do: toolserver.py [DEED]...

Each call of "echo" gives its arguments back; what else there is stands in tools().
"""
import json
import os
import subprocess
import sys
import time

deeds = sys.argv[1:]


def tools():
    text = {"type": "string", "description": "a text"}
    return [
        {"name": "echo", "description": "Gives its arguments back.",
         "inputSchema": {"type": "object", "properties": {"text": text, "count": {"type": "integer"}}, "required": ["text"]}},
        {"name": "say", "description": "Answers in text alone.", "inputSchema": {"type": "object", "properties": {"text": text}}},
        {"name": "fails", "description": "Answers that it failed.", "inputSchema": {"type": "object"}},
        {"name": "hangs", "description": "Never answers.", "inputSchema": {"type": "object"}},
        {"name": "dies", "description": "Ends instead of answering.", "inputSchema": {"type": "object"}},
        {"name": "large", "description": "Answers with so many bytes.",
         "inputSchema": {"type": "object", "properties": {"bytes": {"type": "integer"}}}},
        {"name": "floods", "description": "Answers with one endless line.", "inputSchema": {"type": "object"}},
        {"name": "lies", "description": "Answers to other ids, and twice.", "inputSchema": {"type": "object"}},
        {"name": "asks", "description": "Asks its client for things first.", "inputSchema": {"type": "object"}},
        {"name": "slow", "description": "Answers after a while, in the order of the waits.",
         "inputSchema": {"type": "object", "properties": {"seconds": {"type": "number"}}}},
        {"name": "starts", "description": "Starts programs that leave their session, and names them.",
         "inputSchema": {"type": "object"}},
        {"name": "world", "description": "What it was started with.", "inputSchema": {"type": "object"}},
        {"name": "breaks", "description": "Answers with what is no JSON.", "inputSchema": {"type": "object"}},
        {"name": "closes", "description": "Closes its output, and stays.", "inputSchema": {"type": "object"}},
        {"name": "odd-name.v2", "description": "*/ process.exit(9) \"\"\" + '\\' \u202e\nx = 1 /*",
         "inputSchema": {"type": "object", "properties": {
             "class": text, "x-y": text, "plain": {"type": ["string", "null"], "description": "\"\"\"*/\nimport os"},
             "\"); evil(": text}, "required": ["plain"]}},
    ]


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def call(number, name, arguments):
    if name == "echo" or name == "odd-name.v2":
        return {"structuredContent": {"got": arguments}, **text("unused")}
    if name == "say":
        return text("said " + arguments.get("text", "nothing"))
    if name == "fails":
        return {"isError": True, **text(arguments.get("text", "the disk is on fire"))}
    if name == "hangs":
        return None
    if name == "dies":
        os._exit(7)
    if name == "large":
        return text("x" * arguments["bytes"])
    if name == "floods":
        while True:
            sys.stdout.write("x" * 1000000)
    if name == "lies":
        send({"id": number + 1000, "result": text("of nobody")})
        send({"id": "text", "result": text("of nobody")})
        sys.stdout.write("no JSON at all\n[1]\n")
        send({"id": number, "result": text("first")})
        return text("second")
    if name == "breaks":
        print("{'a': 'dictionary'}")
        return {"structuredContent": {"share": float("nan")}}
    if name == "closes":
        os.close(1)
        time.sleep(600)
    if name == "asks":
        send({"id": "r", "method": "roots/list"})
        refused = json.loads(sys.stdin.readline())
        send({"id": "p", "method": "ping"})
        answered = json.loads(sys.stdin.readline())
        return text("%s %s" % (refused["error"]["code"], answered["result"]))
    if name == "starts":
        code = "import os,time\nos.setsid()\nif os.fork(): os._exit(0)\nprint(os.getpid(), flush=True)\ntime.sleep(600)"
        pids = []
        for _ in range(3):
            child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
            pids.append(int(child.stdout.readline()))
            child.wait()
        return {"structuredContent": {"pids": pids, "own": os.getpid()}}
    if name == "world":
        return {"structuredContent": {"variables": dict(os.environ), "folder": os.getcwd(),
                                      "descriptors": sorted(int(n) for n in os.listdir("/proc/self/fd"))}}
    raise KeyError(name)


waiting = []  # (when, id) of "slow"


def answer(message):
    number, method, parameters = message.get("id"), message.get("method"), message.get("params", {})
    if method == "initialize":
        if "hangs" in deeds:
            for file in deeds[deeds.index("hangs") + 1:]: # by which it says that it does
                open(file, "w").close()
            time.sleep(600)
        if "prints" in deeds:
            print("{server} is ready\n{'a': 'dictionary'}")
        if "breaks" in deeds:
            return print('{"jsonrpc": "2.0", "id": %d, "result": {}' % number, flush=True)
        if "deaf" in deeds:
            os.close(0)
        send({"id": number, "result": {"protocolVersion": "1.0" if "old" in deeds else parameters["protocolVersion"],
                                       "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}})
        if "deaf" in deeds:
            time.sleep(0.5)
            os._exit(4)
    elif method == "tools/list":
        listed = tools()
        at = int(parameters.get("cursor", 0))
        more = {"nextCursor": str(at + 5)} if at + 5 < len(listed) or "endless" in deeds else {}
        send({"id": number, "result": {"tools": listed[at:at + 5], **more}})
    elif method == "tools/call" and parameters["name"] == "slow":
        waiting.append((time.monotonic() + parameters["arguments"]["seconds"], number))
    elif method == "tools/call":
        try:
            result = call(number, parameters["name"], parameters["arguments"])
        except KeyError as error:
            return send({"id": number, "error": {"code": -32602, "message": "no tool %s" % error}})
        if result is not None:
            send({"id": number, "result": result})


def main():
    if "ends" in deeds:
        sys.exit(3)
    import select
    pending = b""
    while True:
        waiting.sort()
        patience = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        ready, _, _ = select.select([0], [], [], patience)
        while waiting and waiting[0][0] <= time.monotonic():
            send({"id": waiting.pop(0)[1], "result": text("waited")})
        if not ready:
            continue
        piece = os.read(0, 65536)
        if not piece:
            if "stays" in deeds:
                time.sleep(600)
            return
        pending += piece
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            message = json.loads(line)
            if "method" in message:
                answer(message)


main()
