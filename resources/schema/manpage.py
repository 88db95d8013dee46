#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes resources/man/glovebox-json.5 from glovebox-json.5.in and glovebox.schema.json, so that page and schema can't drift.
With --check only says whether the page is as it would be written. A field without a description, or a number without a unit, is an error."""
import json
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent / "man" / "glovebox-json.5"
COMMAND = "glovebox "  # begins the title of a command's definition

schema = json.loads((HERE / "glovebox.schema.json").read_text())
defs = schema["$defs"]
entries = [choice["then"]["$ref"].split("/")[-1] for choice in defs["entry"]["allOf"]]


def target(node):
    """What a reference leads to."""
    found = schema
    for step in node["$ref"][2:].split("/"):
        found = found[step]
    return found


def name_of(node):
    return node["$ref"].split("/")[-1]


def is_part(name):
    """Whether a definition has a section of its own under OBJECTS."""
    node = defs.get(name)
    return node is not None and name not in entries and "title" not in node and name not in ("entry", "entryHead") and (
        "properties" in node or "oneOf" in node or len(node.get("enum", [])) > 10)


def heading(name):
    return re.sub("([A-Z])", lambda found: " " + found[1].lower(), name.removesuffix("Fields"))


def merged(node):
    """The node with what its reference leads to, as long as that has no section of its own."""
    while "$ref" in node and not is_part(name_of(node)):
        own = {key: value for key, value in node.items() if key != "$ref"}
        node = {**target(node), **own}
    return node


def types(node):
    kinds = node.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def label(node):
    """Type and unit, in a few words."""
    words = []
    if "$ref" in node:
        words.append("object" if "properties" in target(node) else "word")
    elif "anyOf" in node:
        words.append(label(node["anyOf"][0]))
    elif "enum" in node or "oneOf" in node:
        words.append("word")
    elif "const" in node and isinstance(node["const"], str):
        words.append("word")
    elif "const" in node:
        words.append(node.get("unit", "true"))
    for kind in types(node):
        if kind == "array":
            items = merged(node["items"])
            named = label(items).split(",")[0].split("; ")[0]
            words.append("array of " + named + "s")
        elif kind in ("integer", "number", "string"):
            words.append(kind if len(types(node)) > 2 else node.get("unit", kind))
        elif kind == "boolean":
            words.append("true or false")
        elif kind == "object" and "object" not in words:
            words.append("object")
    words = list(dict.fromkeys(words))
    return " or ".join(words) + (", or null" if "null" in types(node) or "null" in str(node.get("anyOf", "")) else "")


def text(words):
    """Lines of roff: a sentence begins a line, and no line is longer than 80 bytes."""
    lines = []
    for sentence in re.split(r"(?<=[.:])\s+(?=[A-Z\"])", words):
        for line in textwrap.wrap(sentence, 76, break_on_hyphens=False):
            line = line.replace("\\", "\\e").replace("--", "\\-\\-")
            lines.append(("\\&" if line[0] in ".'" else "") + line)
    return lines


def choices(node):
    if "oneOf" not in node:
        return []
    lines = [".Bl -tag -width Ds -compact"]
    for choice in node["oneOf"]:
        lines += [".It Li " + choice["const"], *text(choice["description"])]
    return lines + [".El"]


def field(path, node, owner):
    """A field, and those of an object or of the objects of an array in it."""
    own = merged(node)
    description = own.get("description")
    if not description and "$ref" in own:
        description = target(own).get("description")
    units = {"integer", "number"} & set(types(own))
    if not description or (units and "unit" not in own):
        sys.exit(f"{owner}: {path} has no {'unit' if description else 'description'} in glovebox.schema.json")
    lines = [f".It Va {path} Pq {label(own)}", *text(description)]
    if len(types(own)) > 2:  # several types: the unit isn't in the line of the name
        lines += text("Unit: " + own["unit"] + ".")
    if "enum" in own:
        words = ", ".join(word or "(empty)" for word in own["enum"])
        lines += text(f"One of: {words}.")
    lines += choices(own)
    items = merged(own["items"]) if "items" in own else own
    for reference in (own, items, *own.get("anyOf", [])):
        if "$ref" in reference and is_part(name_of(reference)):
            lines += [".Po see", f".Sx {heading(name_of(reference))}", ".Pc"]
            break
    if "$ref" in items and "properties" not in items:
        return lines
    inner = path + ("" if items is own else "[]")
    for key, value in items.get("properties", {}).items():
        lines += field(f"{inner}.{key}", value, owner)
    return lines


def fields(node, owner):
    if not node.get("properties"):
        return []
    lines = [".Bl -tag -width Ds"]
    for key, value in node["properties"].items():
        lines += field(key, value, owner)
    return lines + [".El"]


def command(name):
    node = defs[name]
    lines = [f".Ss {node['title'].replace('--', chr(92) + '-' + chr(92) + '-')}", *text(node["description"])]
    lines += fields(node, name)
    if "$ref" in node:
        lines += ["The fields are those in" if not node.get("properties") else "All other fields are those in",
                  f".Sx {heading(name_of(node))} ."]
    return lines


def part(name):
    node = defs[name]
    lines = [f".Ss {heading(name)}"]
    lines += text(node["description"] if "description" in node else "The words:")
    lines += text(", ".join(node.get("enum", [])))
    return lines + choices(node) + fields(node, name)


def entry(name):
    node = defs[name]
    return [f".Ss {name}", *text(node["description"]), *fields(node, name)]


def page():
    parts = [name for name in defs if is_part(name) and "$ref" not in defs[name]]  # usageFields stands for usage
    sections = {
        "@commands@": [line for name, node in defs.items() if node.get("title", "").startswith(COMMAND) for line in command(name)],
        "@parts@": [line for name in parts for line in part(name)],
        "@entries@": [".Ss Fields of every entry", *fields(defs["entryHead"], "entryHead")]
                     + [line for name in entries for line in entry(name)],
    }
    lines = []
    for line in (HERE / "glovebox-json.5.in").read_text().splitlines():
        lines += sections.get(line, [line])
    return "\n".join(lines) + "\n"


if sys.argv[1:] == ["--check"]:
    if PAGE.read_text() != page():
        sys.exit(f"{PAGE.name} is not as the schema says. Run: python3 resources/schema/manpage.py")
else:
    PAGE.write_text(page())
