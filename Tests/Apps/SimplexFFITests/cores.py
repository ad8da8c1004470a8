# A controller in a process of its own, for tests with several of them that may be killed.
#   cores.py LIBSIMPLEX PREFIX events|quiet
#
# It carries out lines: open, close_store, reopen_store, or a command. It prints answers, and events unless it is quiet.
import ctypes
import json
import os
import queue
import subprocess
import sys
import threading
import time

TIMEOUT = 60


class Core:
    """A process of its own with a controller."""

    def __init__(self, library, prefix, tells=True):
        self.process = subprocess.Popen(
            [sys.executable, __file__, library, prefix, "events" if tells else "quiet"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.answers = queue.Queue()
        self.events = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            # The last line of a process that was killed may be cut off.
            if line.endswith(b"\n"):
                kind, text = line.split(b" ", 1)
                (self.answers if kind == b"answer" else self.events).put(json.loads(text))
        self.answers.put(None)

    def ask(self, line):
        """The answer; None where the process was killed."""
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return None
        try:
            answer = self.answers.get(timeout=TIMEOUT)
        except queue.Empty:
            raise AssertionError(f"no answer to {line}, exit status {self.process.poll()}") from None
        if answer is None:
            # For the next caller: the process has ended.
            self.answers.put(None)
        return answer

    def run(self, command):
        answer = self.ask(command)
        assert answer is not None and "result" in answer, (command, answer)
        return answer["result"]

    def event(self, tag, condition=lambda event: True):
        deadline = time.monotonic() + TIMEOUT
        while True:
            event = self.events.get(timeout=max(0.1, deadline - time.monotonic())).get("result", {})
            if event.get("type") == tag and condition(event):
                return event

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            assert self.process.wait(timeout=TIMEOUT) == 0, self.process.returncode


def serve(library, prefix, tells):
    lib, libc = ctypes.CDLL(library), ctypes.CDLL(None)
    for name in ["migrate_init_key", "close_store", "reopen_store", "send_cmd", "recv_msg_wait"]:
        getattr(lib, "chat_" + name).restype = ctypes.c_void_p
    controller = ctypes.c_void_p()
    printing = threading.Lock()

    def call(name, *arguments):
        pointer = getattr(lib, "chat_" + name)(*arguments)
        text = ctypes.string_at(pointer).decode()
        libc.free(ctypes.c_void_p(pointer))
        return text

    def tell(kind, text):
        with printing:
            print(kind, text, flush=True)

    def receive():
        while True:
            event = call("recv_msg_wait", controller, 200_000)
            if event and tells:
                tell("event", event)

    for line in sys.stdin:
        line = line.rstrip("\n")
        if line == "open":
            result = call("migrate_init_key", prefix.encode(), b"", 1, b"yesUp", 0, ctypes.byref(controller))
            if controller.value:
                threading.Thread(target=receive, daemon=True).start()
            tell("answer", result)
        elif line in ["close_store", "reopen_store"]:
            tell("answer", json.dumps(call(line, controller)))
        else:
            tell("answer", call("send_cmd", controller, line.encode()))
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], sys.argv[3] == "events")
