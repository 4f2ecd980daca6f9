"""Makes the private Python environment that serve.py runs in, once, and prints the path of its interpreter.

    python3 prepare.py FOLDER        (FOLDER/venv, FOLDER/install.log; `./try` uses .try)

With the environment there and requirements.txt unchanged nothing is fetched, so it works off line. The stamp is written
last: an environment that an interrupted run left half made has none, and is made again. The lock goes with the process
that holds it, however that ends, so two runs at once wait for each other and none waits for a dead one.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")


def main(folder: pathlib.Path) -> None:
    if sys.version_info < (3, 10):
        fail(f"Python 3.10 or later is needed, python3 here is {sys.version.split()[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    venv, stamp = folder / "venv", folder / "venv" / "stamp"
    python = venv / "bin" / "python"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another run that installs the model server…")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_current(stamp, wanted, python):
            say("installing the model server (about 130 MB, once)…")
            install(folder, venv, python)
            stamp.write_text(wanted)
    print(python)


def is_current(stamp: pathlib.Path, wanted: str, python: pathlib.Path) -> bool:
    try:
        return stamp.read_text() == wanted and os.access(python, os.X_OK)  # the system's Python may have gone since
    except OSError:
        return False


def install(folder: pathlib.Path, venv: pathlib.Path, python: pathlib.Path) -> None:
    log = folder / "install.log"
    shutil.rmtree(venv, ignore_errors=True)
    with open(log, "w") as out:
        step = [sys.executable, "-m", "venv", str(venv)]
        if run(step, out) != 0:
            fail(f"python3 -m venv failed (on Debian and Ubuntu: apt install python3-venv); see {log}")
        step = [str(python), "-m", "pip", "install", "--no-deps", "--require-hashes", "--no-input", "--no-user"]
        if run([*step, "--disable-pip-version-check", "-r", str(REQUIREMENTS)], out) != 0:
            reasons = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("ERROR: ")]
            fail(f"pip failed: {reasons[-1].removeprefix('ERROR: ') if reasons else 'no reason given'}; see {log}")


def run(step: list[str], out) -> int:
    return subprocess.run(step, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False).returncode


def say(message: str) -> None:
    print(f"try: {message}", file=sys.stderr, flush=True)


def fail(message: str) -> None:
    say(message)
    sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: prepare.py FOLDER")
    try:
        main(pathlib.Path(sys.argv[1]).absolute())
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)
