#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Tries the same attacks under several tools, and prints who contained how many, and what a start costs.

escapes.py [--glovebox PROGRAM] [--tools NAME,...] [--attacks NAME,...] [--rounds N] [--docker-root TAR]
           [--expect-contained]

Verdicts are taken on the host (judge.py). Each attack that gets nowhere without a tool is named: it is no evidence for
tools. The column "none" runs the same code as this user with nothing around it. So every attack is bounded: 300
processes that sleep, 1 GiB of memory for three seconds, 640 MiB of disk for two, 16 seconds of one processor. Kernel
files are opened and not written to, devices are opened for reading and not read. No process is traced or killed but
one of the bench's own. The attacks on the network happen in a network of the bench's own (world.py).

Docker is tried by root only, with a daemon of the bench's own. Without --docker-root its image is made first, which
takes two minutes more. Glovebox is measured best from build/release or build/dev: others aren't optimised.
"""
import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time

import attacks as table
import field
import starts
import tables
import tools as columns
import world
from attempt import Attempt, Outcome, run_together
from dockerdaemon import Daemon


def options():
    parser = argparse.ArgumentParser(description="Compares sandboxes by the same attacks.")
    root = os.path.abspath(f"{os.path.dirname(os.path.abspath(__file__))}/../../..")
    programs = [f"{root}/build/{name}/bin/glovebox" for name in ("release", "dev", "quick")]
    built = [path for path in programs if os.path.exists(path)]
    parser.add_argument("--glovebox", default=(built or ["glovebox"])[0], help="the program [default: %(default)s]")
    parser.add_argument("--tools", help="names of tools, with commas [default: all]")
    parser.add_argument("--attacks", help="names of attacks, with commas [default: all]")
    parser.add_argument("--rounds", type=int, default=7, help="starts of each tool that are timed [default: 7]")
    parser.add_argument("--docker-root", metavar="TAR",
                        help="root file system with python3 [default: made by mmdebstrap]")
    parser.add_argument("--expect-contained", action="store_true",
                        help="exit status 1 unless every attack is contained")
    return parser.parse_args()


def at_once(attack):
    """How many tools are tried side by side: all for long attacks, one where they would meet at an address or limit."""
    if attack.seconds > 8:
        return 100
    return 1 if attack.group == "limits" or "world" in attack.needs else 3


def tried(attacks, tools):
    """Outcomes by (attack, tool)."""
    outcomes = {}
    for attack in attacks:
        for first in range(0, len(tools), at_once(attack)):
            group = tools[first:first + at_once(attack)]
            began = time.monotonic()
            ends = run_together([Attempt(tool, attack) for tool in group])
            outcomes |= {(attack.name, tool.name): outcome for tool, outcome in zip(group, ends)}
            names = ", ".join(tool.name for tool in group)
            print(f"{attack.name}: {names}: {time.monotonic() - began:.1f} s", file=sys.stderr)
    return outcomes


def tried_in_world(attacks, tools, folder):
    """The same in a child that enters the world, for users who can't take the whole bench there."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            world.enter(folder)
            found = [[*key, outcome.kind, outcome.evidence] for key, outcome in tried(attacks, tools).items()]
            with os.fdopen(writer, "w") as file:
                json.dump(found, file)
            status = 0
        except OSError as error:
            print(f"no network of our own: {error}", file=sys.stderr)
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(child, 0)
    if not text:
        return None
    return {(attack, tool): Outcome(kind, evidence) for attack, tool, kind, evidence in json.loads(text)}


def all_outcomes(attacks, tools, folder, in_world):
    if in_world:
        return tried(attacks, tools)
    outside = [attack for attack in attacks if "listeners" not in attack.needs]
    inside = [attack for attack in attacks if "listeners" in attack.needs]
    found = tried_in_world(inside, tools, folder) if inside else {}
    if found is None:  # without user namespaces: what needs no addresses of its own
        found = tried([attack for attack in inside if "world" not in attack.needs], tools)
    return tried(outside, tools) | found


def chosen(all_of_them, names, kind):
    if not names:
        return all_of_them
    unknown = set(names.split(",")) - {each.name for each in all_of_them}
    if unknown:
        known = ", ".join(each.name for each in all_of_them)
        sys.exit(f"escapes: unknown {kind}: {', '.join(sorted(unknown))}. Known: {known}")
    return [each for each in all_of_them if each.name in names.split(",")]


def main():
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that all is tidied
    wanted = options()
    attacks = chosen(table.ATTACKS, wanted.attacks, "attack")
    folder = tempfile.mkdtemp(prefix="escapes-", dir="/var/tmp")
    daemon = Daemon(folder, wanted.docker_root)
    try:
        tools = chosen(columns.all_tools(wanted.glovebox, folder, daemon), wanted.tools, "tool")
        if any(isinstance(tool, columns.Docker) for tool in tools):
            daemon.make_image()
        in_world = os.getuid() == 0
        if in_world:
            world.enter(folder)
        if any(isinstance(tool, columns.Docker) for tool in tools):
            daemon.start()
        for tool in tools:
            tool.missing = tool.missing or (daemon.missing if isinstance(tool, columns.Docker) else None)
        there = [tool for tool in tools if not tool.missing]
        versions = {tool.name: tool.version() for tool in there}
        outcomes = all_outcomes(attacks, there, folder, in_world)
        report(tools, attacks, outcomes, starts.medians(there, wanted.rounds) if wanted.rounds else {}, versions)
    finally:
        daemon.stop()
        shutil.rmtree(folder, ignore_errors=True)
    if wanted.expect_contained and any(outcome.kind != "contained" for outcome in outcomes.values()):
        sys.exit(1)


def report(tools, attacks, outcomes, times, versions):
    tried_ones = [attack for attack in attacks if any(key[0] == attack.name for key in outcomes)]
    who = "root" if os.getuid() == 0 else f"an ordinary user ({os.getuid()})"
    print(f"# Escapes, as {who}, {platform.system()} {platform.release()}, {os.cpu_count()} processors\n")
    print(tables.readme(tools, tried_ones, outcomes, times))
    print("\nTwo numbers: as the tool comes / with options written by hand. Verdicts are the host's.\n")
    print(tables.details(tools, tried_ones, outcomes))
    left_out = [attack.name for attack in attacks if attack not in tried_ones]
    if left_out:
        print(f"\nNot tried, for want of a network of our own: {', '.join(left_out)}.")
    nothing = tables.no_evidence(tried_ones, outcomes)
    if nothing:
        print(f"\nContained without any tool here, and so no evidence for one: {', '.join(nothing)}.")
    print(f"\n## Evidence\n\n{tables.evidence(tools, tried_ones, outcomes)}")
    print(f"\n## Command lines\n\n{tables.commands(tools, versions)}")


if __name__ == "__main__":
    main()
