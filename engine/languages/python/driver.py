# SPDX-License-Identifier: Apache-2.0
"""Holds the interpreter back until its job arrives on descriptor 3, then lets it run main.py all by itself.

Python imports this as `sitecustomize` (recipe: PYTHONPATH=/run/glovebox python3 main.py), the last step before it opens
main.py. So main.py is run by Python's own code: no frame of a driver below it, no hooks, the exit status Python gives.
The job: see engine/languages/job.h.
"""
import os
import sys


def receive(length):
    data = b""
    while len(data) < length:
        try:
            piece = os.read(3, length - len(data))
        except ConnectionResetError:
            piece = b""
        if not piece:
            os.write(2, b"Glovebox went away before it handed over the snippet.\n")
            os._exit(125)
        data += piece
    return data


def settle():
    """A short snippet spends half of its time at its end (1.2 of 2.6 ms), when Python looks for garbage among what it set up at its
    start. From now on the collector leaves that alone. What a snippet hangs on a class that was set up there (os._Environ.x = ...)
    isn't ended with Python, for which Python gives no guarantee either. The module that runs is a new one: a snippet that asks the
    collector who refers to a value is told of its own names, as ever, and behind younger objects.
    """
    import gc
    del sys.modules["gc"]  # as it was
    if not hasattr(gc, "freeze"):  # PyPy
        return
    gc.freeze()
    main = type(sys)("__main__")
    vars(main).update(vars(sys.modules["__main__"]))
    sys.modules["__main__"] = main
    gc.collect(0)  # the module is older than what the snippet makes


def start():
    settle()
    try:
        os.write(3, b"\n")  # ready
    except BrokenPipeError:
        pass  # said below
    version, _, *arguments = receive(int.from_bytes(receive(4), "little")).split(b"\0")[:-1]
    if version == b"2":
        for variable in receive(int.from_bytes(receive(4), "little")).split(b"\0")[:-1]:
            name, _, value = variable.partition(b"=")
            os.environb[name] = value
    os.close(3)  # before the snippet and what it starts can see it
    arguments = [os.fsdecode(text) for text in arguments]
    sys.argv += arguments
    if hasattr(sys, "orig_argv"):  # Python 3.10
        sys.orig_argv += arguments
    # The snippet, and every Python that it starts, finds no trace of the way in.
    del os.environ["PYTHONPATH"]
    sys.path.remove(os.path.dirname(__file__))
    sys.stdout.reconfigure(line_buffering=True)  # a pipe, but somebody watches


start()
