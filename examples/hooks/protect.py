#!/usr/bin/env python3
"""preToolCall of write_file and edit_file: denies paths that fit one of the patterns among its arguments.

A pattern is a shell glob for the path as seen from the working directory, for one of the directories that the file
is in, or for a name: `.env*`, `secrets`, `migrations/*.sql`. Links are followed first. Use it with `onError: fail`.
"""
import fnmatch
import json
import os
import sys


def main():
    event = json.load(sys.stdin)
    cwd = os.path.realpath(event["cwd"])
    given = event["arguments"]["path"]
    path = os.path.join(cwd, os.path.expanduser(given))
    for spelling in {os.path.normpath(path), os.path.realpath(path)}:
        for part in parts(os.path.relpath(spelling, cwd)):
            for pattern in sys.argv[1:]:
                if fnmatch.fnmatchcase(part, pattern):
                    reason = f"{given} is protected ({pattern}): ask the user to change it"
                    json.dump({"decision": "deny", "reason": reason}, sys.stdout)
                    return


def parts(path):
    """The path, each directory above it, and each name in it."""
    while path:
        yield path
        yield os.path.basename(path)
        path = os.path.dirname(path.rstrip("/"))
        if path == "/":
            return


main()
