# SPDX-License-Identifier: Apache-2.0
"""Verdicts, taken on the host. Each function gets an Attempt; it returns evidence that the attack got through, or None.

The code's own words count for nothing, but for a secret that only the host knew.
"""
import observe

MIB = 1 << 20


def said(name):
    def judged(attempt):
        found = attempt.field.secret[name].encode() in attempt.output
        return f"printed the secret of the host ({name})" if found else None
    return judged


def reached(*names):
    def judged(attempt):
        came = [name for name in names if name in attempt.field.reached]
        return f"{attempt.field.reached[came[0]]} came to the host's listener ({came[0]})" if came else None
    return judged


def changed_startup_or_folder(attempt):
    found = [path for path in attempt.field.changed() if path != attempt.field.target]
    return f"wrote {', '.join(found)}" if found else None


def changed_target(attempt):
    return "wrote through the link" if attempt.field.target in attempt.field.changed() else None


def victim_ended(attempt):
    return None if attempt.field.victim_lives() else "a process of the host ended"


def victim_read(attempt):
    if said("memory")(attempt):
        return "printed memory of a process of the host"
    return "traces a process of the host" if observe.tracer(attempt.field.victim.pid) in attempt.pids() else None


def outlived(attempt):
    return "lives on after the end" if attempt.over and attempt.pids() else None


def holds_kernel_file(attempt):
    for pid in attempt.pids():
        for number, name, status in observe.descriptors(pid):
            if observe.is_kernel_file(pid, number, name, status):
                return f"opened {name}"
    return None


def holds_disk(attempt):
    for pid in attempt.pids():
        for _, name, status in observe.descriptors(pid):
            if status.st_mode & 0o170000 == 0o060000:
                return f"opened a block device ({name.replace(attempt.field.mark, '...')})"
    return None


def mounted(attempt):
    for pid in attempt.pids():
        if attempt.field.mark in observe.mounts(pid):
            return "mounted a file system"
    return None


def became_root(attempt):
    return "runs as root of the host" if any(observe.is_root_of_host(pid) for pid in attempt.pids()) else None


def terminal_has_input(attempt):
    return "typed into the terminal" if attempt.field.mark.encode() in attempt.typed() else None


def many_processes(attempt):
    count = len(attempt.pids())
    return f"{count} processes at once" if count >= 250 else None


def much_memory(attempt):
    held = observe.memory_bytes(attempt.pids())
    return f"{held // MIB} MiB of memory at once" if held >= 768 * MIB else None


def much_disk(attempt):
    seen = {}
    for pid in attempt.pids():
        for _, _, status in observe.descriptors(pid):
            if status.st_mode & 0o170000 == 0o100000:
                seen[status.st_dev, status.st_ino] = status.st_blocks * 512
    return f"{sum(seen.values()) // MIB} MiB of files at once" if sum(seen.values()) >= 512 * MIB else None


def spins_on(attempt):
    return f"spins after {SPIN_SECONDS} seconds" if attempt.seconds() >= SPIN_SECONDS and attempt.pids() else None


SPIN_SECONDS = 13  # each tool that can is told to end after 10
