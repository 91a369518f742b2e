#!/usr/bin/env python3
"""Fails if docc has found a link that leads nowhere, or if a public declaration has no documentation.

    check.py FOLDER_OF_SYMBOL_GRAPHS DIAGNOSTICS
"""
import glob
import json
import re
import sys

# Parameters for the place of a call, which its caller leaves out.
PLACE = re.compile(r"Parameter '(file|fileID|filePath|line|column|function)' is missing documentation")
# The compiler calls these; the page of the builder documents all of them.
WITNESSES = re.compile(r"build(Block|PartialBlock|Expression|Optional|Either|Array|LimitedAvailability)\(")


def undocumented(graph):
    """The declarations of a module without a comment of their own or of the requirement that they implement."""
    inherited = {r["source"] for r in graph["relationships"] if "sourceOrigin" in r}
    for symbol in graph["symbols"]:
        path = symbol["pathComponents"]
        if "docComment" in symbol or symbol["identifier"]["precise"] in inherited:
            continue
        # `@CasePathable` generates these from cases, whose documentation is beside them.
        if "AllCasePaths" in path[:-1]:
            continue
        # A name with an underscore is public only for macros and inlining.
        if any(part.lstrip("$").startswith("_") for part in path) or WITNESSES.match(path[-1]):
            continue
        yield graph["module"]["name"] + "." + ".".join(path), symbol.get("location")


def place(uri, line):
    return f"{uri.removeprefix('file://')}:{line + 1}" if uri else "?"


def main():
    problems = set()
    for file in glob.glob(f"{sys.argv[1]}/*.symbols.json"):
        with open(file, encoding="utf-8") as graph:
            for name, location in undocumented(json.load(graph)):
                where = place(location["uri"], location["position"]["line"]) if location else "?"
                problems.add(f"{where}: {name} has no documentation")
    with open(sys.argv[2], encoding="utf-8") as file:
        for found in json.load(file)["diagnostics"]:
            if found["severity"] in ("warning", "error") and not PLACE.match(found["summary"]):
                line = found.get("range", {}).get("start", {}).get("line", 1)
                problems.add(f"{place(found.get('source'), line - 1)}: {found['summary']}")
    for problem in sorted(problems):
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"{len(problems)} faults in the documentation")


if __name__ == "__main__":
    main()
