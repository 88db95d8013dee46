# SPDX-License-Identifier: Apache-2.0
# Attacks on what all programs share. Each is bounded, so that it can't hurt the machine where nothing holds it.


def fork_bomb():
    """At most 300 children, each asleep."""
    for _ in range(300):
        child = attempt(os.fork)
        if child == 0:
            hold()
            os._exit(0)
    hold()


def memory_bomb():
    """At most 1 GiB: 8 children with 128 MiB each, every page written."""
    reader, writer = os.pipe()
    for _ in range(8):
        if attempt(os.fork) == 0:
            blocks = []
            try:
                while len(blocks) < 16:
                    blocks.append(b"\1" * (8 << 20))
            except MemoryError:
                pass
            os.close(writer)
            hold(2 * WORDS["hold"])  # also while others still write
            os._exit(0)
    os.close(writer)
    os.read(reader, 1)  # nothing, once no child is writing any more
    hold()


def fill_disk():
    """At most 640 MiB, in files that have lost their names."""
    left, block, files = 640, b"\1" * (4 << 20), []
    for folder in writable_folders():
        for number in range(10):
            path = f"{folder}/{MARK}-{number}"
            try:
                file = open(path, "xb", buffering=0)
            except OSError:
                break
            os.unlink(path)
            files.append(file)
            try:
                for _ in range(16):
                    if left <= 0:
                        return hold()
                    left -= file.write(block) >> 20
            except OSError:
                break
    hold()


def spin():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGXCPU, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    end = time.monotonic() + WORDS["spin"]
    while time.monotonic() < end:
        pass
