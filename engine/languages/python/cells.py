# SPDX-License-Identifier: Apache-2.0
"""An interpreter that stays: runs one cell after the other, each of which sees what those before it left.

The jobs come on descriptor 3 (engine/languages/job.h), and each is answered by the tag of its cell, the exit status and the value.
"""
import ast
import asyncio
import builtins
import inspect
import linecache
import os
import signal
import sys
import traceback
import types

most_of_value = 64 * 1024  # bytes: maximumValueBytes
own_file = __file__
display = sys.displayhook
shown = None  # of the last expression of this cell
tools = types.ModuleType("glovebox_tools")


def receive(length):
    data = b""
    while len(data) < length:
        try:
            piece = os.read(channel, length - len(data))
        except ConnectionResetError:
            piece = b""
        if not piece:
            os._exit(0)  # nobody has another cell
        data += piece
    return data


def frame():
    return receive(int.from_bytes(receive(4), "little"))


def evaluate(code, variables):
    value = eval(code, variables)  # noqa: S307: that is what the cell is for
    if inspect.iscoroutine(value) and code.co_flags & inspect.CO_COROUTINE:
        value = loop().run_until_complete(value)
    return value


def loop():
    global own_loop
    if own_loop is None or own_loop.is_closed():
        own_loop = asyncio.new_event_loop()
        asyncio.set_event_loop(own_loop)
    return own_loop


class Shown:
    """Is shown as a text that is there already: what shows a value may be code of the cell, and runs once."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def show(value):
    """As Python's own sys.displayhook, and keeps the text."""
    global shown
    if value is None:
        return
    builtins._ = None
    text = text_of(value)
    shown = text[:most_of_value + 1]
    display(Shown(text))
    builtins._ = value


def text_of(value):
    return str.__str__(repr(value))  # which may be of a class of the cell's own


def value_frame():
    if shown is None:
        return bytes(4)
    text = shown[:most_of_value].encode("utf-8", "backslashreplace")
    is_cut = max(len(shown), len(text)) > most_of_value
    if is_cut:
        text = text[:most_of_value].decode("utf-8", "ignore").encode()
    return (1 + len(text)).to_bytes(4, "little") + (b"c" if is_cut else b"w") + text


def run(tree, name, variables):
    """Returns the frame with the value."""
    global shown
    shown = None
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    evaluate(compile(tree, name, "exec", flags), variables)
    if last is not None:
        value = evaluate(compile(last, name, "eval", flags), variables)
        sys.displayhook(value)
        if shown is None and value is not None:  # the cell has a hook of its own
            shown = text_of(value)[:most_of_value + 1]
    return value_frame()


def show_error():
    kind, error, trace = sys.exc_info()
    while trace is not None and trace.tb_frame.f_code.co_filename in (own_file, ast.__file__):
        trace = trace.tb_next
    traceback.print_exception(kind, error.with_traceback(trace), trace)


def status_of(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 255
    print(code, file=sys.stderr)
    return 1


def offer_tools(text):
    """The module has the tools of this cell, and is the one that earlier cells imported, so that its errors are theirs."""
    sys.modules.pop(tools.__name__, None)
    if not text:
        return
    names = vars(types.ModuleType(tools.__name__))
    exec(compile(text, tools.__name__ + ".py", "exec"), names)  # noqa: S102
    names["ToolError"] = getattr(tools, "ToolError", names["ToolError"])
    vars(tools).clear()  # functions that an earlier cell kept have their own
    vars(tools).update(names)
    sys.modules[tools.__name__] = tools


def run_cell(text, tool_module, name, variables):
    """The exit status, and the frame with the value."""
    # Tracebacks show the lines of the cell, also when a later one calls into it.
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    try:
        offer_tools(tool_module)
        return 0, run(ast.parse(text, name), name, variables)
    except SystemExit as end:
        try:
            return status_of(end.code), bytes(4)
        except BaseException:
            show_error()
            return 1, bytes(4)
    except BaseException:
        show_error()
        return 130 if sys.exc_info()[0] is KeyboardInterrupt else 1, bytes(4)


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def interruptible(is_wanted):
    """An interrupt between two cells is nobody's. Not SIG_IGN, which programs would inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler if is_wanted else lambda *_: None)


def serve():
    main = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    while True:
        version, name, tag = frame().split(b"\0")[:-1]
        text = frame().decode()
        tool_module = frame().decode()
        if version != b"6":
            os._exit(125)
        interruptible(True)
        try:
            status, value = run_cell(text, tool_module, name.decode(), main.__dict__)
        except KeyboardInterrupt:  # on the way out of the cell
            status, value = 130, bytes(4)
        interruptible(False)
        flush()
        if os.getpid() != own_process:  # a copy that the cell made (os.fork()), and that came out of it, too
            os._exit(status)
        answer = tag + bytes([status]) + value
        while answer:
            answer = answer[os.write(channel, answer):]


channel = os.dup(3)  # close-on-exec, as the programs that a cell starts must not hold it
os.close(3)
own_loop = None
own_process = os.getpid()
interruptible(False)
sys.displayhook = show
sys.argv = [""]
sys.path[0] = ""
sys.stdout.reconfigure(line_buffering=True)
try:
    os.write(channel, b"\n")  # ready
except BrokenPipeError:
    pass
serve()
