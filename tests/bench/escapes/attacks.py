# SPDX-License-Identifier: Apache-2.0
"""The attacks: a name, a sentence, the function in payloads/GROUP.py, and the verdict on the host."""
import dataclasses
import os
import typing

import judge


@dataclasses.dataclass(frozen=True)
class Attack:
    group: str  # payloads/GROUP.py
    name: str  # the function in it
    title: str
    verdict: typing.Callable
    needs: frozenset = frozenset()  # victim, listeners, world, key, terminal, descriptors
    seconds: float = 8  # until the bench ends the tool; only `spin` takes so long

    def code(self, words):
        """One Python program: the words, the preamble, the group's functions and the call."""
        parts = [f"WORDS = {words!r}\n"]
        for name in ("preamble", self.group):
            with open(f"{os.path.dirname(os.path.abspath(__file__))}/payloads/{name}.py", encoding="utf-8") as file:
                parts.append(file.read())
        return "".join(parts) + f"\n\nrun({self.name})\n"


def _attack(group, name, title, verdict, *needs, seconds=8):
    return Attack(group, name, title, verdict, frozenset(needs), seconds)


ATTACKS = [
    _attack("files", "read_files", "reads a file in the home folder", judge.said("notes")),
    _attack("files", "read_key", "reads an SSH key", judge.said("key")),
    _attack("files", "write_outside", "writes to the home folder, /etc, /usr/local, /tmp",
            judge.changed_startup_or_folder),
    _attack("files", "planted_symlink", "writes through a planted symbolic link", judge.changed_target),
    _attack("files", "read_environment", "reads the environment of the caller", judge.said("environment")),
    _attack("files", "inherited_descriptors", "uses inherited file descriptors", judge.said("descriptor"),
            "descriptors"),
    _attack("processes", "see_processes", "sees processes of the host", judge.said("process"), "victim"),
    _attack("processes", "kill_process", "kills a process of the host", judge.victim_ended, "victim"),
    _attack("processes", "trace_process", "traces a process, reads its memory", judge.victim_read, "victim"),
    _attack("processes", "survive", "survives the end as a daemon", judge.outlived),
    _attack("network", "host_loopback", "connects to the host's loopback", judge.reached("loopback"), "listeners"),
    _attack("network", "abstract_socket", "connects to a unix socket, abstract or in the home folder",
            judge.reached("abstract", "socket"), "listeners"),
    _attack("network", "name_server", "asks the host's name server", judge.reached("name server"),
            "listeners", "world"),
    _attack("network", "metadata_address", "connects to the metadata address of clouds", judge.reached("metadata"),
            "listeners", "world"),
    _attack("kernel", "kernel_files", "opens /proc/kcore and its kind", judge.holds_kernel_file),
    _attack("kernel", "mount_something", "mounts a file system", judge.mounted),
    _attack("kernel", "read_keyring", "reads a key of the kernel's keyring", judge.said("keyring"), "key"),
    _attack("kernel", "device_nodes", "opens a disk by a device node", judge.holds_disk),
    _attack("kernel", "setuid_program", "runs as root of the host, by a setuid program", judge.became_root),
    _attack("kernel", "push_into_terminal", "types into the terminal (TIOCSTI)", judge.terminal_has_input, "terminal"),
    _attack("limits", "fork_bomb", "starts 250 processes", judge.many_processes),
    _attack("limits", "memory_bomb", "takes 768 MiB of memory", judge.much_memory),
    _attack("limits", "fill_disk", "fills 512 MiB of disk", judge.much_disk),
    _attack("limits", "spin", "spins on a processor, deaf to signals", judge.spins_on, seconds=judge.SPIN_SECONDS + 1),
]
