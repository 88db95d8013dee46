# SPDX-License-Identifier: Apache-2.0
# Attacks on other processes, and on the end of the run.


def see_processes():
    for pid in processes():
        show(attempt(content, f"/proc/{pid}/cmdline") or b"")


def kill_process():
    for pid in victims():
        attempt(os.kill, pid, signal.SIGKILL)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def read_memory(pid):
    """By process_vm_readv, by /proc and by ptrace."""
    size = 64
    buffer = ctypes.create_string_buffer(size)
    here, there = Piece(ctypes.addressof(buffer), size), Piece(WORDS["address"], size)
    libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    show(buffer.raw)

    def by_file():
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
            file.seek(WORDS["address"])
            show(file.read(size))

    attempt(by_file)
    attached = libc.ptrace(16, pid, None, None) == 0  # PTRACE_ATTACH
    return attached


def trace_process():
    if any([read_memory(pid) for pid in victims()]):
        hold()


def survive():
    """A daemon: two forks, a session of its own, no streams, deaf to polite signals."""
    for _ in range(2):
        if os.fork():
            os._exit(0)
        os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open("/dev/null", os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    hold(WORDS["daemon"])
