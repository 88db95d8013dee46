# SPDX-License-Identifier: Apache-2.0
"""The independent checker of contract.h. argv[1]: the schema. Each line of standard input is JSON: [definition, output, whether
entries of other versions may be there]. For each, a line of standard output says everything that is wrong, as a JSON string; without a
definition, what is wrong with the schema itself."""
import json
import sys

from jsonschema import Draft202012Validator as Validator, SchemaError

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("an object has a field twice")
    return dict(pairs)


def complaints_about_schema():
    try:
        Validator.check_schema(schema)
    except SchemaError as error:
        return [f"{error.json_path}: {error.message}"]
    return []


def complaints(name, output, any_version):
    if not name:
        return complaints_about_schema()
    definitions = schema["$defs"]
    if name not in definitions:
        return [f"$defs has no {name}"]
    if not any_version:
        definitions = {**definitions, "entryOfOtherVersion": False}
    validator = Validator({"$defs": definitions, "$ref": f"#/$defs/{name}"})
    found = [] if output.endswith("\n") else ["the last line has no end"]
    for line in output.split("\n")[:-1]:
        try:
            value = json.loads(line, object_pairs_hook=once)
        except ValueError as error:
            found.append(f"no JSON: {error}")
            continue
        found += [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
    return found


for request in sys.stdin:
    print(json.dumps("\n".join(complaints(*json.loads(request)))), flush=True)
