# SPDX-License-Identifier: Apache-2.0
"""How long each tool takes for `python3 -c pass`, in turns, so that a busy moment meets all of them."""
import statistics
import subprocess
import time

from field import Field


def medians(tools, rounds):
    """Seconds by a tool's name; tools that fail have none."""
    field = Field()
    taken = {tool.name: [] for tool in tools}
    try:
        for turn in range(rounds + 1):
            for tool in tools:
                command = tool.command("pass", f"{field.mark}-{turn}", field.home)
                began = time.perf_counter()
                ended = subprocess.run(command, cwd=field.work, env=tool.environment(field.home),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, check=False)
                if turn > 0 and ended.returncode == 0:  # the first one fills caches
                    taken[tool.name].append(time.perf_counter() - began)
    finally:
        field.close()
    return {name: statistics.median(times) for name, times in taken.items() if times}
