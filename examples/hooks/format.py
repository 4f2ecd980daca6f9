#!/usr/bin/env python3
"""postToolCall of write_file and edit_file: formats the file, if a formatter for it is installed.

The model is told when the file is no longer what it wrote, or why it could not be formatted.
"""
import json
import os
import shutil
import subprocess
import sys

FORMATTERS = {
    ".rs": ["rustfmt", "--edition", "2024"],
    ".go": ["gofmt", "-w"],
    ".py": ["ruff", "format", "--quiet"],
    ".sh": ["shfmt", "-w"],
    ".js": ["prettier", "--write"],
    ".ts": ["prettier", "--write"],
    ".css": ["prettier", "--write"],
}


def main():
    event = json.load(sys.stdin)
    path = os.path.join(event["cwd"], os.path.expanduser(event["arguments"]["path"]))
    command = FORMATTERS.get(os.path.splitext(path)[1])
    if not event["ok"] or command is None or shutil.which(command[0]) is None or not os.path.isfile(path):
        return
    before = read(path)
    done = subprocess.run([*command, "--", path], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        why = (done.stderr or done.stdout).strip()[:1000]
        say(f"{command[0]} cannot format {event['arguments']['path']}:\n{why}")
    elif read(path) != before:
        say(f"{command[0]} has formatted {event['arguments']['path']}: read it again before you edit it.")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def say(context):
    json.dump({"context": context}, sys.stdout)


main()
