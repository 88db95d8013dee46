# SPDX-License-Identifier: Apache-2.0
"""Tools of servers outside of the sandbox that this run may call: from glovebox_tools import SERVER; SERVER.TOOL(name=value).

help(SERVER) lists them. What a call gives is the server's structured content, else its text; one that is refused or fails raises
ToolError. Each call is checked outside, and logged.
"""
from __future__ import annotations

import json as _json
import socket as _socket

__all__ = ["ToolError"]


class ToolError(Exception):
    """The call was refused or failed; the text says why."""


class _Absent:
    def __repr__(self):
        return "..."


_absent = _Absent()


def _call(tool, arguments):
    arguments = {name: value for name, value in arguments.items() if value is not _absent}
    request = _json.dumps({"tool": tool, "arguments": arguments}, ensure_ascii=False, allow_nan=False).encode()
    answer = bytearray()
    try:
        with _socket.create_connection(("127.0.0.1", _port)) as connection:
            try:
                connection.sendall(request)
                connection.shutdown(_socket.SHUT_WR)
            except OSError:
                pass  # refused before all of it was read; the answer says why
            try:
                while piece := connection.recv(65536):
                    answer += piece
            except ConnectionError:
                pass  # the same
        reply = _json.loads(answer)
    except (OSError, ValueError) as error:
        raise ToolError(f"The call of {tool} was cut off.") from error
    if "error" in reply:
        raise ToolError(reply["error"])
    return reply["value"]
