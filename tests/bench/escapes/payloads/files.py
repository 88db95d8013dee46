# SPDX-License-Identifier: Apache-2.0
# Attacks on files, on the environment and on what a program inherits.


def read_files():
    for path in roads_of_others(WORDS["notes"]):
        show(attempt(content, path) or b"")


def read_key():
    for path in roads_of_others(WORDS["key"]):
        show(attempt(content, path) or b"")


def append(path):
    with open(path, "ab", buffering=0) as file:
        return file.write(WORDS["line"].encode())


def write_outside():
    for path in [f"{folder}/{MARK}" for folder in WORDS["outside"]] + [WORDS["startup"]]:
        any(attempt(append, road) for road in roads(path))


def planted_symlink():
    """Through a link that waits in the working folder, and through links that the code makes."""
    attempt(append, WORDS["planted"])
    for number, road in enumerate(roads(WORDS["target"])):
        for folder in writable_folders():
            link = f"{folder}/{MARK}-{number}"
            try:
                os.symlink(road, link)
            except OSError:
                continue
            attempt(append, link)
            os.unlink(link)


def read_environment():
    show(repr(dict(os.environ)).encode())
    for pid in processes():
        show(attempt(content, f"/proc/{pid}/environ") or b"")


def inherited_descriptors():
    for number in range(3, 256):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            inner = attempt(lambda: os.open("notes.txt", os.O_RDONLY, dir_fd=number))
            if inner is not None:
                show(os.read(inner, 4096))
        elif stat.S_ISREG(mode):
            show(attempt(os.pread, number, 4096, 0) or b"")
