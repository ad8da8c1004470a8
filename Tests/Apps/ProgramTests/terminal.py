# Types as a person does, and looks at the screen of an emulated terminal.
#   terminal.py SCENARIO FOLDER PROGRAM [ARGUMENT...]
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

import pyte


class Terminal:
    """A program at a terminal."""

    def __init__(self, arguments, folder, rows=24, columns=80):
        self.screen = pyte.HistoryScreen(columns, rows, history=1000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        master, self.slave = pty.openpty()
        self.master = master
        self.resize(rows, columns, tell=False)
        self.settings = termios.tcgetattr(self.slave)
        self.process = os.fork()
        if self.process == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for descriptor in range(3):
                os.dup2(self.slave, descriptor)
            environment = {"HOME": folder, "TERM": "xterm-256color", "PATH": os.environ.get("PATH", "")}
            os.execve(arguments[0], arguments, environment)

    def resize(self, rows, columns, tell=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)
        if tell:
            os.kill(self.process, signal.SIGWINCH)

    def read(self, time):
        """Shows what was written meanwhile; False where nothing was."""
        if not select.select([self.master], [], [], time)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def type(self, text):
        os.write(self.master, text.encode())

    def lines(self):
        """All lines that were shown and still are."""
        above = ["".join(row[column].data for column in range(self.screen.columns)) for row in self.screen.history.top]
        return [line.rstrip() for line in above + self.screen.display]

    def wait(self, what, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what}: " + "\n".join(["the screen is"] + self.lines()))
            self.read(0.05)

    def shows(self, text, count=1):
        self.wait(text, lambda: sum(text.rstrip() in line for line in self.lines()) >= count)

    def line(self):
        """The line with the cursor, up to it and after it."""
        row = self.screen.display[self.screen.cursor.y]
        # A wide letter has an empty cell after it, which display leaves out.
        cells = self.screen.buffer[self.screen.cursor.y]
        before = "".join(cells[column].data for column in range(self.screen.cursor.x))
        return before, row[len(before):].rstrip()

    def at(self, before, after=""):
        self.wait(f"the line {before!r}|{after!r}, is {self.line()!r}", lambda: self.line() == (before, after))

    def exit(self):
        """The exit status; the terminal must be as it was."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            self.read(0.02)
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                while self.read(0.05):
                    pass
                assert termios.tcgetattr(self.slave) == self.settings, "the terminal is not as it was"
                assert self.raw.count(b"\x1b[?2004h") == self.raw.count(b"\x1b[?2004l"), "pasting is still marked"
                return os.waitstatus_to_exitcode(status)
        os.kill(self.process, signal.SIGKILL)
        raise AssertionError("does not end: " + "\n".join(self.lines()))


def echo(arguments, folder):
    terminal = Terminal(arguments, folder)
    terminal.shows("Echo: contact is connected")
    terminal.at("@Echo > ")

    # A line without a mark goes to the chat that was used last, and comes back.
    terminal.type("hello\r")
    terminal.shows("Echo> hello")
    assert any(line.endswith("@Echo hello") for line in terminal.lines()), terminal.lines()

    # History and editing
    terminal.type("\x1b[A")
    terminal.at("@Echo > hello")
    terminal.type("\x1b[Hoh ")
    terminal.at("@Echo > oh ", "hello")
    terminal.type("\x1b[1;5C!")
    terminal.at("@Echo > oh hello!")
    terminal.type("\r")
    terminal.shows("Echo> oh hello!")
    terminal.type("draft\x1b[A\x1b[A")
    terminal.at("@Echo > hello")
    terminal.type("\x1b[B\x1b[B")
    terminal.at("@Echo > draft")
    terminal.type("\x15one two three\x17")
    terminal.at("@Echo > one two ")
    terminal.type("\x01\x0b\x7f")
    terminal.at("@Echo > ")
    terminal.type("abc\x1b[D\x1b[D\x1b[3~")
    terminal.at("@Echo > a", "c")
    terminal.type("\x03")
    terminal.at("@Echo > ")

    # Letters of any width; an accent belongs to its letter.
    terminal.type("日本語 e\u0301x")
    terminal.wait("wide letters", lambda: terminal.screen.cursor.x == len("@Echo > ") + 6 + 3)
    terminal.type("\x7f\x7f")
    terminal.wait("the accent goes with its letter", lambda: terminal.screen.cursor.x == len("@Echo > ") + 7)
    terminal.type("\x1b[D\x1b[D\x7f本\r")
    terminal.shows("Echo> 日本語")

    # Help, and a command that is none
    terminal.type("/help\r")
    terminal.shows("show the version of the program")
    terminal.type("/nonsense\r")
    terminal.shows("bad chat command")

    # Completion
    terminal.type("/vers\t")
    terminal.at("@Echo > /version ")
    terminal.type("\r")
    terminal.shows("SimpleX Chat v")
    terminal.type("@E\t")
    terminal.at("@Echo > @Echo ")
    terminal.type("\x15/con\t\t")
    terminal.shows("contacts")
    terminal.type("\x15")

    # What is pasted is one message, whatever lines it has.
    terminal.type("\x1b[200~first line\r\nsecond line\x1b[201~")
    terminal.at("second line")
    terminal.type("\r")
    terminal.shows("Echo> first line")
    terminal.wait("both lines", lambda: terminal.lines().count("      second line") >= 2)

    # Another size, and a line that is longer
    terminal.resize(24, 40)
    words = " ".join(f"word{number}" for number in range(12))
    terminal.type(words)
    terminal.wait("the end", lambda: "".join(terminal.lines()).endswith(words))
    before = terminal.screen.cursor.y
    terminal.type("\x01")
    terminal.wait("the beginning", lambda: terminal.screen.cursor.x == len("@Echo > ") and terminal.screen.cursor.y < before)
    terminal.resize(24, 80)
    terminal.type("\r")
    terminal.shows("Echo> word0")

    # A message that is seen while it is typed
    terminal.type("/live @Echo liv\r")
    terminal.at("> @Echo [LIVE] liv")
    terminal.type("e text\r")
    terminal.at("@Echo > ")
    terminal.wait("the whole text", lambda: any(line.endswith("@Echo [LIVE] live text") for line in terminal.lines()))

    # The end
    terminal.type("\x04")
    assert terminal.exit() == 0


def interrupted(arguments, folder):
    terminal = Terminal(arguments, folder)
    terminal.shows("Echo: contact is connected")
    terminal.type("typed")
    terminal.at("@Echo > typed")
    terminal.type("\x03")
    terminal.at("@Echo > ")
    terminal.type("\x03")
    assert terminal.exit() == 0


def terminated(arguments, folder):
    terminal = Terminal(arguments, folder)
    terminal.shows("> ")
    os.kill(terminal.process, signal.SIGTERM)
    assert terminal.exit() == 0


def first_start(arguments, folder):
    """The program asks for a name; the next start does not, and asks for the key once there is one."""
    terminal = Terminal(arguments, folder)
    terminal.shows("display name: ")
    terminal.type("#bad\r")
    terminal.shows("invalid display name: #bad")
    terminal.type("alice\r")
    terminal.shows("Current user: alice")
    terminal.at("> ")
    terminal.type("/u\r")
    terminal.shows("user profile: alice")
    terminal.type("/db encrypt secret\r")
    terminal.shows("ok")
    terminal.type("/quit\r")
    assert terminal.exit() == 0

    terminal = Terminal(arguments, folder)
    terminal.shows("Enter database encryption key")
    terminal.type("wrong\r")
    terminal.shows("The database key is wrong")
    terminal.shows("Enter database encryption key", count=2)
    terminal.type("secret\r")
    terminal.shows("Current user: alice")
    terminal.at("> ")
    assert not any("secret" in line for line in terminal.lines()), "the key was shown"
    terminal.type("\x04")
    assert terminal.exit() == 0

    # Nobody has to answer.
    terminal = Terminal(arguments, folder)
    terminal.shows("Enter database encryption key")
    terminal.type("\x03")
    assert terminal.exit() != 0


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[3:], sys.argv[2])
