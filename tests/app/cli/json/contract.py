# SPDX-License-Identifier: Apache-2.0
"""The independent checker of contract.h. argv[1]: the schema. Each line of standard input is JSON: [definition, output, whether
entries of other versions may be there]. For each, a line of standard output says everything that is wrong, as a JSON string."""
import json
import sys

from jsonschema import Draft202012Validator as Validator

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Validator.check_schema(schema)


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("an object has a field twice")
    return dict(pairs)


def complaints(name, output, any_version):
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
