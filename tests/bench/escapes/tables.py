# SPDX-License-Identifier: Apache-2.0
"""The tables, in Markdown."""


def _row(cells):
    return "| " + " | ".join(cells) + " |"


def _table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths)] for row in rows]
    line = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([_row(padded[0]), line, *map(_row, padded[1:])])


def contained(outcomes, tool):
    """How many attacks a tool contained, of those that were tried; None if it wasn't tested."""
    kinds = [outcome.kind for (_, name), outcome in outcomes.items() if name == tool.name]
    return kinds.count("contained") if kinds and not tool.missing else None


def _start(tool, starts):
    if tool.name not in starts:
        return None
    if tool.name == "none":
        return f"{starts[tool.name] * 1000:.0f} ms"
    more, ratio = (starts[tool.name] - starts["none"]) * 1000, starts[tool.name] / starts["none"]
    return f"python3 + {more:.0f} ms ({ratio:.1f} x)"


def readme(tools, attacks, outcomes, starts):
    """One column a program; where it was tried twice, first as it comes and then with options written by hand."""
    columns = {}
    for tool in tools:
        columns.setdefault(tool.column, []).append(tool)

    def cells(value):
        values = [[value(tool) for tool in group] for group in columns.values()]
        return [" / ".join(str(each) for each in group if each is not None) or "not tested" for group in values]

    return _table([["", *columns],
                   [f"Contained, of {len(attacks)} attacks", *cells(lambda tool: contained(outcomes, tool))],
                   ["Start of `python3 -c pass`", *cells(lambda tool: _start(tool, starts))]])


def details(tools, attacks, outcomes):
    """Attack by tool; `yes` is contained."""
    words = {"contained": "yes", "escaped": "**no**", "hidden": "no (hidden)", "broken": "no (didn't run)"}

    def cell(attack, tool):
        outcome = outcomes.get((attack.name, tool.name))
        return words[outcome.kind] if outcome else "not tested"

    rows = [[attack.title, *(cell(attack, tool) for tool in tools)] for attack in attacks]
    return _table([["The code ...", *(tool.name for tool in tools)], *rows])


def evidence(tools, attacks, outcomes):
    """A line for each attack that wasn't contained."""
    lines = []
    for tool in tools:
        for attack in attacks:
            outcome = outcomes.get((attack.name, tool.name))
            if outcome and outcome.kind != "contained":
                lines.append(f"- {tool.name}, {attack.name}: {outcome.kind}: {outcome.evidence}")
    return "\n".join(lines)


def no_evidence(attacks, outcomes):
    """Attacks that get nowhere here without any tool, and so say nothing about tools."""
    return [attack.name for attack in attacks if (attack.name, "none") in outcomes
            and outcomes[attack.name, "none"].kind == "contained"]


def commands(tools, versions):
    return "\n".join(f"- {tool.name} ({versions[tool.name]}): `{tool.shown()}`" if not tool.missing
                     else f"- {tool.name}: not tested, {tool.missing}" for tool in tools)
