# People at emulated terminals, each with a profile, and the relay between them.
#   everyday.py SCENARIO FOLDER PROGRAM
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal  # noqa: E402


class Relay:
    """A relay that keeps its queues."""

    def __init__(self, program, folder):
        self.program = os.path.join(os.path.dirname(program), "smp-server")
        paths = {"SMP_SERVER_CFG_PATH": os.path.join(folder, "cfg"), "SMP_SERVER_LOG_PATH": os.path.join(folder, "log")}
        self.environment = {**os.environ, **paths}
        init = [self.program, "init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"]
        subprocess.run(init, env=self.environment, check=True, capture_output=True)
        self.start()
        ini = os.path.join(folder, "cfg", "smp-server.ini")
        with open(ini) as file:
            text = file.read().replace("port = 0\n", f"port = {self.port}\n")
        with open(ini, "w") as file:
            file.write(text)

    def start(self):
        self.process = subprocess.Popen([self.program, "start"], env=self.environment, stdout=subprocess.PIPE, text=True)
        fingerprint = port = None
        for line in self.process.stdout:
            if "smp://" in line:
                fingerprint = line.split("smp://")[1].split("@")[0]
            if "istening on " in line:
                port = line.split()[-1]
                break
        self.port = port
        self.address = f"smp://{fingerprint}@127.0.0.1:{port}"

    def stop(self):
        self.process.terminate()
        self.process.wait()


class FileRelay:
    """A relay of files."""

    def __init__(self, program, folder):
        program = os.path.join(os.path.dirname(program), "xftp-server")
        self.files = os.path.join(folder, "xftp-files")
        os.makedirs(self.files)
        paths = {
            "XFTP_SERVER_CFG_PATH": os.path.join(folder, "xftp-cfg"),
            "XFTP_SERVER_LOG_PATH": os.path.join(folder, "xftp-log"),
        }
        environment = {**os.environ, **paths}
        init = [program, "init", "-p", self.files, "-q", "1gb", "--ip", "127.0.0.1", "--port", "0"]
        subprocess.run(init, env=environment, check=True, capture_output=True)
        self.process = subprocess.Popen([program, "start"], env=environment, stdout=subprocess.PIPE, text=True)
        fingerprint = port = None
        for line in self.process.stdout:
            if "xftp://" in line:
                fingerprint = line.split("xftp://")[1].split("@")[0]
            if "istening on " in line:
                port = line.split()[-1]
                break
        self.address = f"xftp://{fingerprint}@127.0.0.1:{port}"

    def stop(self):
        self.process.terminate()
        self.process.wait()


class World:
    def __init__(self, program, folder, file_relay=None):
        self.program, self.folder = program, folder
        self.relay = Relay(program, folder)
        self.file_relay = file_relay

    def options(self, name):
        file_servers = ["--xftp-server", self.file_relay.address] if self.file_relay else []
        return [self.program, "-d", os.path.join(self.folder, name), "-s", self.relay.address, *file_servers]

    def person(self, name, *options):
        names = ["--display-name", name, "--no-preset-contacts"]
        return Terminal([*self.options(name), *names, *options], self.folder, rows=40, columns=180)

    def execute(self, name, command, *options):
        return subprocess.run(
            [*self.options(name), "-e", command, *options], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def said(terminal, text):
    terminal.type(text + "\r")


def address(terminal):
    """Creates an address that accepts everybody."""
    terminal.at("> ")
    said(terminal, "/ad")
    terminal.shows("/profile_address on")
    said(terminal, "/auto_accept on")
    terminal.shows("auto_accept on")
    return next(line for line in terminal.lines() if line.startswith("https://127.0.0.1"))


def connect(alice, bob):
    """Bob connects by alice's address."""
    said(bob, f"/c {address(alice)}")
    bob.shows("alice: contact is connected")
    alice.shows("bob: contact is connected")


def quiet(terminal, text, seconds=1.5):
    """The text does not come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        terminal.read(0.1)
    assert not any(text in line for line in terminal.lines()), terminal.lines()


def recipient(program, folder):
    """What is typed goes to whom the prompt named when it was begun."""
    world = World(program, folder)
    alice, bob, carol = (world.person(name) for name in ("alice", "bob", "carol"))
    alice.at("> ")
    said(alice, "nobody is chosen")
    alice.shows("No chat is chosen: nothing was sent.")
    said(alice, "help")
    alice.shows("How to connect with somebody")
    link = address(alice)
    said(alice, f"/c {link}")
    alice.shows("This is your own link")
    said(bob, f"/c {link}")
    bob.shows("alice: contact is connected")
    alice.shows("bob: contact is connected")
    alice.at("@bob > ")

    # Neither a new contact nor a message changes to whom one types.
    alice.type("for bob")
    alice.at("@bob > for bob")
    said(carol, f"/c {link}")
    carol.shows("alice: contact is connected")
    alice.shows("carol: contact is connected")
    said(carol, "@alice hi from carol")
    alice.shows("carol> hi from carol")
    alice.at("@bob > for bob")
    alice.type(" alone\r")
    bob.shows("alice> for bob alone")
    alice.shows("✓✓ @bob for bob alone")
    alice.at("@bob > ")

    # A line that is typed ahead goes where the line before it went.
    alice.type("@carol one\rtwo\r")
    carol.shows("alice> one")
    carol.shows("alice> two")
    alice.at("@carol > ")

    # After a name that does not exist nothing goes to the chat before.
    alice.type("@caroll secret\rmore secrets\r")
    alice.shows("no contact caroll")
    alice.at("> ")
    said(alice, "still secret")
    alice.shows("No chat is chosen")
    for other in (bob, carol):
        quiet(other, "secret", 1)

    # The name alone chooses a chat.
    said(alice, "@bob")
    alice.shows("Messages go to @bob now")
    alice.at("@bob > ")
    said(alice, "again")
    bob.shows("alice> again")

    # A command about another chat does not choose it.
    for command in ("/tail @carol 1", "/search @carol one", "+1 @carol hi from carol", "/f @carol ~/missing"):
        said(alice, command)
        alice.at("@bob > ")
    alice.shows("file not found")
    said(alice, "to nobody else")
    bob.shows("alice> to nobody else")
    quiet(carol, "to nobody else", 0.5)

    # A reaction is shown below its message, and a deleted message where it was.
    said(bob, "+1 @alice again")
    alice.wait("the reaction", lambda: any(
        line.endswith("@bob again") and following.strip() == "👍 1"
        for line, following in zip(alice.lines(), alice.lines()[1:])))
    said(bob, "@alice a slip of the pen")
    alice.shows("bob> a slip of the pen")
    said(bob, "\\ @alice a slip of the pen")
    bob.shows("unless both of you allow full deletion: /set delete @alice yes")
    alice.shows("bob> [deleted]")
    assert not any("a slip of the pen" in line for line in alice.lines()), alice.lines()
    said(alice, "/tail @bob 1")
    alice.shows("bob> [deleted]", count=2)

    said(alice, "/sync @bob")
    alice.shows("nothing has to be repaired")

    # What has no time of its own is not shown as if it were of 1970.
    said(alice, "/search a")
    alice.shows("@bob for bob alone", count=2)
    said(alice, "/tail")
    alice.shows("@bob for bob alone", count=3)
    assert not any("1970" in line or "01-01" in line or "chat banner" in line for line in alice.lines()), alice.lines()

    # A text of several lines cannot look like a message of somebody else.
    bob.type("@alice first\x0a12:00 carol> second\r")
    alice.shows("bob> first")
    alice.wait("indented", lambda: any(line == "      12:00 carol> second" for line in alice.lines()))
    for person in (alice, bob, carol):
        person.type("\x04")
        assert person.exit() == 0
    world.relay.stop()


def profiles(program, folder):
    """Each profile keeps its own chosen chat, and the prompt says which profile writes."""
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    other = Terminal(
        [*world.options("other"), "--display-name", "bob", "--no-preset-contacts"], folder, rows=40, columns=180)
    link = address(alice)
    said(bob, f"/c {link}")
    alice.shows("bob: contact is connected")
    alice.at("@bob > ")
    said(alice, "/create user work")
    alice.at("[work] > ")
    said(alice, "to nobody")
    alice.shows("No chat is chosen: nothing was sent.")
    said(alice, "/c")
    alice.shows("and ask them to connect")
    link = [line for line in alice.lines() if line.startswith("https://127.0.0.1")][-1]
    other.at("> ")
    said(other, f"/c {link}")
    other.shows("work: contact is connected")
    alice.at("[work] @bob > ")

    # The same name is another person's.
    said(alice, "/user alice")
    alice.at("[alice] @bob > ")
    said(alice, "for the friend")
    bob.shows("alice> for the friend")
    said(alice, "/user work")
    alice.at("[work] @bob > ")
    said(alice, "for the colleague")
    other.shows("work> for the colleague")

    # A line that was typed ahead does not go where the profile before it would have sent it.
    alice.type("/user alice\rtyped ahead\r")
    alice.shows("The line was begun under another profile: nothing was sent.")
    alice.at("[alice] @bob > ")
    alice.type("/user work\r@bob by name\r")
    other.shows("work> by name")
    alice.at("[work] @bob > ")
    for person, texts in ((bob, ("colleague", "ahead", "by name")), (other, ("friend", "ahead"))):
        for text in texts:
            quiet(person, text, 0.2)
    for person in (alice, bob, other):
        said(person, "/quit")
        assert person.exit() == 0
    world.relay.stop()


def copies(program, folder):
    """A copy of a profile that runs elsewhere is noticed, and what it took is repaired when it has ended."""
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    connect(alice, bob)
    said(alice, "/verify @bob 12345 67890")
    alice.shows("WARNING: the code is not the code of this connection")
    said(alice, "/_db export {\"archivePath\":\"" + folder + "/backup.zip\"}")
    alice.shows("This needs the chat to be stopped: /_stop first, /_start afterwards.")
    said(alice, "/_stop")
    alice.shows("chat stopped")
    said(alice, "/_db export {\"archivePath\":\"" + folder + "/backup.zip\"}")
    alice.shows("only one copy may run")
    said(alice, "/quit")
    assert alice.exit() == 0
    for name in ("chat", "agent"):
        shutil.copy(os.path.join(folder, f"alice_{name}.db"), os.path.join(folder, f"copy_{name}.db"))
    alice = world.person("alice")
    said(bob, "@alice to the original")
    alice.shows("bob> to the original")

    copy = Terminal(world.options("copy"), folder, rows=40, columns=180)
    alice.shows("A copy of this profile seems to run in another program")
    said(bob, "@alice to the copy")
    copy.shows("bob> ")
    quiet(alice, "to the copy", 1)
    said(copy, "/quit")
    assert copy.exit() == 0
    said(alice, "/repair")
    alice.shows("Has every other copy of this profile ended")
    said(alice, "y")
    alice.shows("Being repaired: 1 connection.")
    bob.shows("alice: connection synchronized")
    alice.shows("bob: connection synchronized")
    said(bob, "@alice to the original again")
    alice.shows("bob> to the original again")
    for person in (alice, bob):
        said(person, "/quit")
        assert person.exit() == 0
    world.relay.stop()


def live(program, folder):
    """A live message can be left, and a command typed in it is a command."""
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    alice.at("> ")
    # A link that works once; whoever made it cannot use it up.
    said(alice, "/c")
    alice.shows("and ask them to connect")
    link = next(line for line in alice.lines() if line.startswith("https://127.0.0.1"))
    said(alice, f"/c {link}")
    alice.shows("This is your own link")
    bob.at("> ")
    said(bob, f"/c {link}")
    bob.shows("alice: contact is connected")
    alice.shows("bob: contact is connected")

    said(alice, "/live @bob")
    alice.shows("Type the first words behind the name")
    said(alice, "/live @bob one")
    alice.at("> @bob [LIVE] one")
    alice.type(" two\x1b")
    alice.at("@bob > ")
    bob.shows("[LIVE ended] one two")

    said(alice, "/live @bob three")
    alice.at("> @bob [LIVE] three")
    alice.type(" dropped\x03")
    alice.at("@bob > ")
    bob.shows("[LIVE ended] three")

    said(alice, "/live @bob four")
    alice.at("> @bob [LIVE] four")
    alice.type("\x15/contacts")
    quiet(bob, "/contacts", 4)
    alice.type("\r")
    bob.shows("[LIVE ended] four")
    alice.at("@bob > ")
    quiet(bob, "/contacts", 0.5)
    quiet(bob, "dropped", 0.1)

    # Ctrl-C at the end of a live message does not end the program.
    said(alice, "/live @bob five")
    alice.at("> @bob [LIVE] five")
    alice.type("\x15\x03")
    alice.at("@bob > ")
    said(alice, "done")
    bob.shows("alice> done")
    for person in (alice, bob):
        said(person, "/quit")
        assert person.exit() == 0
    world.relay.stop()


def undelivered(program, folder):
    """What no relay has taken is marked, and mentioned at the end."""
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    connect(alice, bob)
    said(bob, "@alice while you read")
    bob.shows("✓✓ @alice while you read")
    said(bob, "/quit")
    assert bob.exit() == 0
    said(alice, "@bob on the relay")
    alice.shows("✓  @bob on the relay")
    world.relay.stop()
    # A row as long as it lasts, and no lines.
    def connects():
        return any("connecting to 127.0.0.1 (2 connections)" in line for line in alice.screen.display)

    alice.wait("the row", connects)
    world.relay.start()
    alice.wait("no row of relays that answer", lambda: not connects())
    world.relay.stop()
    alice.wait("the row again", connects)
    said(alice, "/_stop")
    alice.wait("no row while the chat is stopped", lambda: not connects())
    said(alice, "/_start")
    said(alice, "@bob nowhere")
    alice.shows("…  @bob nowhere")
    assert b"connections on server" not in alice.raw
    said(alice, "/quit")
    assert alice.exit() == 0
    alice.shows("1 message is not sent yet (@bob)")

    failed = world.execute("alice", "@bob nowhere either", "-t", "1")
    assert failed.returncode != 0 and "1 message is not sent yet (@bob)" in failed.stderr, failed
    failed = world.execute("alice", "@nobody hi")
    assert failed.returncode != 0 and "no contact nobody" in failed.stdout, failed

    alice = world.person("alice")
    alice.shows("…  @bob nowhere either")
    alice.shows("The relays cannot be reached")
    world.relay.start()
    bob = world.person("bob")
    for text in ("on the relay", "nowhere", "nowhere either"):
        bob.shows("alice> " + text)
    said(alice, "/tail @bob 2")
    alice.shows("✓✓ @bob nowhere either")

    # The history is there again, for its owner only.
    alice.type("\x1b[A\x1b[A")
    alice.at("> /quit")
    alice.type("\x15")
    assert os.stat(os.path.join(folder, "alice_history")).st_mode & 0o777 == 0o600
    for person in (alice, bob):
        person.type("\x04")
        assert person.exit() == 0

    # No history where nobody wants one.
    bob = world.person("bob", "--no-history")
    os.remove(os.path.join(folder, "bob_history"))
    said(bob, "/version")
    bob.shows("SimpleX Chat v")
    bob.type("\x04")
    assert bob.exit() == 0 and not os.path.exists(os.path.join(folder, "bob_history"))

    sent = world.execute("alice", "@bob with a command", "-t", "20")
    assert sent.returncode == 0 and "@bob with a command" in sent.stdout, sent
    world.relay.stop()


def groups(program, folder):
    """A group is chosen like a contact, its members are completed, and it keeps the lines after it was renamed."""
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    link = address(alice)
    bob.at("> ")
    said(bob, "/c " + link)
    alice.shows("bob: contact is connected")
    said(alice, "/g team")
    alice.shows("group #team is created")
    alice.type("/a team b\t")
    alice.wait("the contact", lambda: alice.line()[0].endswith("/a team bob "))
    alice.type("\r")
    bob.shows("invites you to join the group as member")
    said(bob, "#team")
    bob.shows("You are invited to this group. /j team joins it.")
    said(bob, "/j team")
    alice.shows("#team: bob joined the group")

    said(alice, "#team")
    alice.at("#team > ")
    alice.type("hi @b\t")
    alice.wait("the member", lambda: alice.line()[0].endswith("hi @bob "))
    alice.type("\r")
    bob.shows("#team alice!> hi @bob")
    said(alice, "/gp team crew")
    alice.at("#crew > ")
    bob.shows("changed to #crew")
    said(alice, "the same group")
    bob.shows("#crew alice> the same group")

    # What ends a membership is asked, too, and the last owner is told.
    said(bob, "/l crew")
    bob.shows("Leave the group #crew? Only another invitation brings you back. Type y to confirm.")
    said(bob, "n")
    bob.shows("Nothing was done.")
    assert not any("last owner" in line for line in bob.lines()), bob.lines()
    for command, question in [
        ("/rm crew bob", "Remove bob from the group #crew?"), ("/rm crew bob messages=on", "is deleted for all members."),
        ("/_leave #1", "Leave the group #1?"), ("/_delete #1", "Delete the chat #1?"), ("/ttl week", "older than 7 days"),
        ("/ttl #crew day", "Delete all messages of #crew that are older than a day"),
        ("/delete link #crew", "Delete the link of #crew?"), ("/reject bob", "Reject the request of bob?"),
        ("/_db delete", "Delete all profiles"), ("/l crew", "You are the last owner"),
    ]:
        said(alice, command)
        alice.shows(question)
        said(alice, "n")
    alice.shows("Nothing was done.", count=10)
    said(alice, "/rm team bob")
    alice.shows("no group #team")
    said(alice, "still the same group")
    bob.shows("#crew alice> still the same group")

    said(alice, "/d #crew")
    alice.shows("Delete the group #crew with all messages?")
    said(alice, "y")
    alice.shows("#crew: you deleted the group")
    alice.at("> ")
    bob.shows("#crew: alice deleted the group")
    for person in (alice, bob):
        said(person, "/quit")
        assert person.exit() == 0
    world.relay.stop()


def files(program, folder):
    """Files are sent, received by hand and without asking, cancelled, and sent again."""
    world = World(program, folder, FileRelay(program, folder))
    alice, bob = world.person("alice"), world.person("bob", "--auto-accept-files", "1000")
    for name, size in [("photo.bin", 3_000_000), ("small.txt", 999), ("other.txt", 2_000)]:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(os.urandom(size))
    received = os.path.join(folder, "received")
    os.makedirs(received)

    def same(name, path):
        with open(os.path.join(folder, name), "rb") as one, open(path, "rb") as two:
            assert one.read() == two.read(), path

    connect(alice, bob)

    # The path is completed, and the chat of the command is the one that lines go to.
    alice.type("/f @bob ~/pho\t")
    alice.wait("the path", lambda: alice.line()[0].endswith("/f @bob ~/photo.bin"))
    alice.type("\r")
    alice.shows(f"/f @bob {folder}/photo.bin")
    alice.shows("use /fc 1 to cancel sending")
    bob.shows("alice> sends file photo.bin (2.9 MiB / 3000000 bytes)")
    alice.shows("completed uploading file 1 (photo.bin) for bob")
    alice.at("@bob > ")
    said(bob, "/fs 1")
    bob.shows("receiving file 1 (photo.bin) not accepted yet, use /fr 1 to receive file")
    said(bob, "/fr 1 ~/received/")
    bob.shows(f"saving file 1 from alice to {received}/photo.bin")
    bob.shows("completed receiving file 1 (photo.bin) from alice")
    same("photo.bin", f"{received}/photo.bin")
    # Nothing is left of the progress.
    bob.at("@alice > ")
    said(bob, "/fs 1")
    bob.shows(f"receiving file 1 (photo.bin) complete, path: {received}/photo.bin")

    # A small one comes without asking.
    said(alice, "/f @bob ~/small.txt")
    bob.shows("completed receiving file 2 (small.txt) from alice")

    # The sender thinks better of it.
    said(alice, "/f @bob ~/other.txt")
    alice.shows("completed uploading file 3 (other.txt) for bob")
    said(alice, "/fc 3")
    alice.shows("cancelled sending file 3 (other.txt)")
    bob.shows("alice cancelled sending file 3 (other.txt)")
    said(bob, "/fr 3")
    bob.shows("file cancelled: other.txt")

    # What was received is sent again.
    said(bob, "/ff @alice 1")
    alice.shows("bob> sends file photo.bin (2.9 MiB / 3000000 bytes)")
    said(alice, "/f @bob ~/missing")
    alice.shows("file not found: ")
    # What cannot work is explained.
    open(os.path.join(folder, "empty.txt"), "w").close()
    said(alice, "/f @bob ~/empty.txt")
    alice.shows("empty.txt is empty: there is nothing to send.")
    said(alice, "/f @bob ~/received")
    alice.shows("received is a folder, and only files can be sent")
    said(alice, "/fr 4 ~/nowhere/")
    alice.shows("nowhere/ does not exist: create it, or name another one.")
    # Without ~/Downloads a file goes beside the profile, as is said before.
    alice.shows(f"without a path it goes into {folder}/alice_files/")
    said(alice, "/fr 4")
    alice.shows("completed receiving file 4 (photo.bin) from bob")
    same("photo.bin", f"{folder}/alice_files/photo.bin")
    assert os.stat(f"{folder}/alice_files").st_mode & 0o777 == 0o700
    # The row of a sent file has the mark of its delivery.
    alice.wait("the mark", lambda: any("✓✓ /f @bob" in line for line in alice.lines()))
    for person in (alice, bob):
        said(person, "/quit")
        assert person.exit() == 0

    # A single command waits until its file is sent.
    sent = world.execute("alice", f"/f @bob {folder}/other.txt")
    assert sent.returncode == 0, (sent.stdout, sent.stderr)
    assert "completed uploading file 5 (other.txt) for bob" in sent.stdout, sent.stdout
    world.relay.stop()
    world.file_relay.stop()


def commands(program, folder):
    """Commands that cannot be read or are missing are explained; what cannot be undone is asked."""
    terminal = Terminal(
        [program, "-d", folder + "/", "--display-name", "alice", "--no-preset-contacts"], folder, rows=50, columns=100)
    terminal.at("> ")
    assert os.path.exists(os.path.join(folder, "simplex_v1_chat.db")), os.listdir(folder)
    for line, answer in [
        ("#team hi", "no group #team"), ("/file @bob", "send a file"),
        ("/clear", "/clear #<group>  delete all messages here"), (">", "reply to a message that begins so"),
        ("@alice", "no contact alice"), ("/help keys", "begin a new line in the message"),
        ("/help nonsense", "There is no help on nonsense"), ("/nonsense", "bad chat command: /nonsense"),
        ("/search banner", "No messages."), ("/contacts", "You have no contacts yet."),
        ("/delete @nobody", "no contact nobody"), ("/create user #x", "create another profile"),
        ("/network socks=abc", "smp-proxy-fallback="), ("/smp foo", "foo is not the address of a server"), ("/call", "call: the media are those of a page"), ("! x", "edit your message that begins so"),
    ]:
        said(terminal, line)
        terminal.shows(answer)
    for topic in ["contacts", "groups", "address", "incognito", "messages", "files", "settings", "db"]:
        said(terminal, f"/help {topic}")
    said(terminal, "/version")
    terminal.shows("SimpleX Chat v")
    assert not any("expected one of" in line or "1970" in line or "01-01" in line for line in terminal.lines())

    # A long line is broken between words.
    said(terminal, "/* " + "words " * 30 + "end")
    terminal.wait("wrapped", lambda: any(line.startswith("      words") for line in terminal.lines()))
    said(terminal, "/clear *")
    terminal.shows("Delete all notes? Type y to confirm.")
    said(terminal, "n")
    terminal.shows("Nothing was done.")
    said(terminal, "/clear *")
    terminal.shows("Type y to confirm.", count=2)
    said(terminal, "y")
    terminal.shows("notes: all messages are removed")

    # Up goes through the lines of a draft before it brings the history.
    terminal.type("first\x0asecond\x1b[A!")
    terminal.wait("the first line", lambda: terminal.line()[0].endswith("first!"))
    terminal.type("\x15\x0b")
    terminal.at("> ")

    # A passphrase with a space; the chat is stopped and started by itself.
    history = os.path.join(folder, "simplex_v1_history")
    assert os.path.exists(history)
    said(terminal, "/db encrypt my secret")
    terminal.shows("ok")
    terminal.shows("start it again")
    said(terminal, "/contacts")
    terminal.shows("start it again", count=2)
    # Neither a copy of the database nor of what was typed stays readable, and nobody else can read the rest.
    for name in os.listdir(folder):
        if os.path.isdir(os.path.join(folder, name)):
            # The folder of files on their way.
            assert not os.listdir(os.path.join(folder, name)), name
            continue
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        assert b"SQLite format" not in content and b"banner" not in content, name
        assert os.stat(os.path.join(folder, name)).st_mode & 0o077 == 0, name
    assert not any("my secret" in line for line in terminal.lines()), terminal.lines()
    said(terminal, "/quit")
    assert terminal.exit() == 0
    assert not os.path.exists(history)
    wrong = subprocess.run(
        [program, "-d", folder + "/", "-k", "wrong", "-e", "/u"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert wrong.returncode != 0 and "The database key is wrong" in wrong.stderr, wrong
    right = subprocess.run(
        [program, "-d", folder + "/", "-k", "my secret", "-e", "/u"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert right.returncode == 0 and "user profile: alice" in right.stdout, right

    # Single commands explain what is empty, know what the session knows, and leave nothing behind after a typing error.
    def single(prefix, command):
        return subprocess.run(
            [program, "-d", prefix, "-k", "my secret", "-e", command], capture_output=True, text=True, stdin=subprocess.DEVNULL)

    for command, text in [
        ("/contacts", "You have no contacts yet."), ("/help keys", "begin a new line"), ("/help", "How to connect"), ("/quit", ""),
    ]:
        result = single(folder + "/", command)
        assert result.returncode == 0 and text in result.stdout, result
    mistyped = single(os.path.join(folder, "nobody"), "/contacts")
    assert mistyped.returncode != 0 and "There is no profile at" in mistyped.stderr, mistyped
    assert not [name for name in os.listdir(folder) if name.startswith("nobody")]


def secrets(program, folder):
    """Passwords, passphrases and keys of files do not get into the history, however they are typed."""
    arguments = [program, "-d", folder + "/a", "--display-name", "alice", "--no-preset-contacts"]
    terminal = Terminal(arguments, folder, rows=24, columns=100)
    terminal.at("> ")
    address = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:hush@127.0.0.1:5223"
    lines = [
        "/create user second", "/hide user hush", "/hide  user hush", "/u alice", "/u second hush", "/unhide user hush",
        "/delete user second del=off hush", "/delete user second hush", " /user second hush", "/_user 2 \"hush\"",
        "/_hide user 2 \"hush\"", "/_unhide user 2 \"hush\"", "/_delete user 2 del_smp=off \"hush\"", "/db key OLD hush",
        "/db test key hush", "/db decrypt hush", '/_db encryption {"currentKey":"hush","newKey":"x"}', f"/smp {address}",
        f"/smp test {address}x", f"/_server test 1 {address}x", "/f @bob key=hush nonce=hush a",
        "/network socks=user:hush@127.0.0.1:9", "/users",
    ]
    for number, line in enumerate(lines):
        # No question is open: it would take the next line for its answer.
        said(terminal, line)
        said(terminal, f"/help nothing{number}")
    said(terminal, "/version")
    terminal.shows("SimpleX Chat v")
    said(terminal, "/quit")
    assert terminal.exit() == 0
    with open(os.path.join(folder, "a_history")) as file:
        history = file.read()
    assert "hush" not in history, history
    for line in ("/create user second", "/u alice", "/users", "/version"):
        assert line + "\n" in history, (line, history)


def passphrase(program, folder):
    """A key is asked for and not shown, or hidden while it is typed; that a lost one is final is said."""
    arguments = [program, "-d", folder + "/a", "--display-name", "alice", "--no-preset-contacts"]
    terminal = Terminal(arguments, folder, rows=24, columns=140)
    terminal.at("> ")
    # Given up, and typed differently.
    said(terminal, "/db encrypt")
    terminal.at("New key: ")
    terminal.type("hush\x03")
    terminal.shows("Nothing was changed.")
    said(terminal, "/db encrypt")
    terminal.at("New key: ")
    said(terminal, "hush hush")
    terminal.at("The same again: ")
    said(terminal, "hush")
    terminal.shows("The two differ: nothing was changed.")
    said(terminal, "/db encrypt")
    terminal.at("New key: ")
    said(terminal, "hush hush")
    terminal.at("The same again: ")
    said(terminal, "hush hush")
    terminal.shows("start it again")
    terminal.shows("without it nobody can open the database", count=3)
    said(terminal, "/quit")
    assert terminal.exit() == 0
    assert b"hush" not in terminal.raw

    terminal = Terminal(arguments + ["-k", "hush hush"], folder, rows=24, columns=140)
    terminal.at("> ")
    terminal.type("/db key 'hush hush' silent")
    terminal.at("> /db key " + "•" * len("'hush hush' silent"))
    terminal.type("\r")
    terminal.shows("start it again")
    terminal.shows("/db key …")
    terminal.type("\x1b[A")
    terminal.at("> ")
    said(terminal, "/quit")
    assert terminal.exit() == 0
    assert b"silent" not in terminal.raw and b"hush hush" not in terminal.raw.split(b"usage info")[1]
    right = subprocess.run(
        [program, "-d", folder + "/a", "-k", "silent", "-e", "/u"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert right.returncode == 0 and "user profile: alice" in right.stdout, right

    # The same for hidden profiles.
    terminal = Terminal(arguments + ["-k", "silent"], folder, rows=24, columns=140)
    terminal.at("> ")
    said(terminal, "/create user second")
    terminal.at("[second] > ")
    said(terminal, "/hide user")
    terminal.at("New password: ")
    said(terminal, "hush")
    terminal.at("The same again: ")
    said(terminal, "hush")
    terminal.shows("without it the profile cannot be shown")
    said(terminal, "/user alice")
    # Nobody sees that there is another one.
    terminal.at("> ")
    said(terminal, "/user second hush")
    terminal.at("[second] > ")
    said(terminal, "/unhide user")
    terminal.at("The password of the profile: ")
    said(terminal, "hush")
    terminal.at("[second] > ")
    said(terminal, "/user alice")
    terminal.at("[alice] > ")
    said(terminal, "/quit")
    assert terminal.exit() == 0
    assert b"hush" not in terminal.raw


def unread(program, folder):
    """What was answered, marked, or looked at in the chosen chat is not unread at the next start."""
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    link = address(alice)
    said(bob, f"/c {link}")
    bob.shows("alice: contact is connected")
    alice.at("@bob > ")

    def restarted(count):
        nonlocal alice
        said(alice, "/quit")
        assert alice.exit() == 0
        assert alice.raw.count(b"\x1b[?1004h") == alice.raw.count(b"\x1b[?1004l") > 0
        alice = world.person("alice")
        alice.shows("usage info")
        alice.at("> ")
        said(alice, "/version")
        alice.shows("SimpleX Chat v")
        unread = [line for line in alice.lines() if line.startswith("unread: ")]
        assert unread == ([f"unread: @bob {count}"] if count else []), unread

    # Where the terminal reports nothing, what is shown may not be seen.
    said(bob, "@alice one")
    alice.shows("bob> one")
    restarted(1)
    said(alice, "/read @nobody")
    alice.shows("no contact nobody")
    said(alice, "/read @bob")
    alice.shows("The messages of @bob are marked as read.")
    restarted(0)
    said(bob, "@alice two")
    alice.shows("bob> two")
    said(alice, "/read")
    alice.shows("All messages are marked as read.")
    restarted(0)
    said(bob, "@alice three")
    alice.shows("bob> three")
    # Nothing says that somebody looks at the window, so the terminal tells of messages.
    alice.wait("the alert", lambda: b"\x07\x1b]9;@bob: three\x1b\\" in alice.raw)
    time.sleep(1)
    said(bob, "@alice it is #hidden words#")
    alice.wait("an alert without secrets", lambda: b"]9;@bob: it is \xe2\x80\xa6\x1b\\" in alice.raw)
    said(alice, "@bob an answer")
    bob.shows("alice> an answer")
    alice.shows("✓✓ @bob an answer")
    restarted(0)

    # The window has the keyboard, and bob is chosen; then it has not, and gets it back.
    said(alice, "@bob")
    alice.at("@bob > ")
    alice.type("\x1b[I")
    before = len(alice.raw)
    said(bob, "@alice four")
    alice.shows("bob> four")
    assert b"\x07" not in alice.raw[before:], alice.raw
    said(alice, "/version")
    alice.shows("SimpleX Chat v", count=2)
    restarted(0)
    said(alice, "@bob")
    alice.at("@bob > ")
    alice.type("\x1b[I\x1b[O")
    said(bob, "@alice five")
    alice.shows("bob> five")
    alice.wait("the title", lambda: alice.screen.title == "(1) simplex-chat")
    restarted(1)
    said(alice, "@bob")
    alice.at("@bob > ")
    alice.type("\x1b[I")
    said(alice, "/version")
    alice.shows("SimpleX Chat v", count=2)
    restarted(0)
    for person in (alice, bob):
        person.type("\x04")
        assert person.exit() == 0
    world.relay.stop()


def bots(program, folder):
    """The commands that a bot publishes are shown where it is chosen, and completed."""
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    connect(alice, bob)
    more = '{"type":"menu","label":"More","commands":[{"type":"command","keyword":"help","label":"Shows help"}]}'
    order = '{"type":"command","keyword":"order","label":"Orders tea","params":"<cups>"}'
    said(bob, '/_profile 1 {"displayName":"bob","fullName":"","preferences":{"commands":[%s,%s]}}' % (more, order))
    said(bob, "@alice done")
    alice.shows("bob> done")
    said(alice, "@bob")
    alice.shows("commands of this bot:")
    alice.shows("  @bob /help Shows help")
    alice.shows("  @bob /order <cups> Orders tea")
    alice.type("@bob /he\t")
    alice.at("@bob > @bob /help ")
    alice.type("\r")
    bob.shows("alice> /help")
    for person in (alice, bob):
        person.type("\x04")
        assert person.exit() == 0
    world.relay.stop()


def links(program, folder):
    """Links are shown as QR codes and opened by number; what is misspelled is answered with what is near."""
    opened = os.path.join(folder, "opened")
    browser = os.path.join(folder, "xdg-open")
    with open(browser, "w") as file:
        file.write(f'#!/bin/sh\nprintf "%s" "$*" > {opened}.new && mv {opened}.new {opened}\n')
    os.chmod(browser, 0o755)
    os.environ["PATH"] = folder + ":" + os.environ["PATH"]
    world = World(program, folder)
    alice, bob = world.person("alice"), world.person("bob")
    alice.at("> ")
    said(alice, "/qr")
    alice.shows("No link was shown.")
    said(alice, "/c bobb")
    alice.shows("bobb is not a link: links begin with https:// or simplex:.")
    said(alice, "/c https://simplex.chat/xyz")
    alice.shows("The link cannot be read: it is usually sent whole")
    connect(alice, bob)
    alice.shows("/long link the longer form for old clients.")
    assert b"simplex.chat/contact#" not in alice.raw
    said(alice, "/long link")
    alice.shows("https://simplex.chat/contact#")
    said(alice, "/qr")
    alice.wait("a QR code", lambda: sum(line.startswith("██") and line.endswith("██") for line in alice.lines()) > 16)
    alice.resize(40, 30)
    said(alice, "/qr")
    alice.shows("The window is too narrow")
    alice.resize(40, 180)

    # Only the address that the question shows is opened, whatever comes after it.
    said(bob, "@alice look at https://example.com/?a=1&b=$(id)")
    alice.shows("look at https://example.com/")
    link = b"\x1b]8;;https://example.com/?a=1&b=$(id)\x1b\\"
    assert link in alice.raw, alice.raw[-500:]
    said(alice, "/open 2")
    alice.shows("There is no web address 2: /open lists them.")
    said(alice, "/open 1")
    alice.shows("Open https://example.com/?a=1&b=$(id) in the browser?")
    said(bob, "@alice or https://example.org/")
    alice.shows("or https://example.org/")
    said(alice, "y")
    alice.shows("The browser is asked to open it.")
    alice.wait("the browser", lambda: os.path.exists(opened))
    with open(opened) as file:
        assert file.read() == "https://example.com/?a=1&b=$(id)"
    said(alice, "/open")
    alice.shows("1  https://example.org/")
    alice.shows("2  https://example.com/?a=1&b=$(id)")
    said(alice, "/open -9223372036854775808")
    alice.shows("There is no web address -9223372036854775808")
    said(alice, "/open https://good.example/\u202egpj.exe")
    alice.shows("There is no web address https://good.example/")

    # What is deleted is forgotten, and each profile has its own links.
    said(bob, "\\ @alice or https")
    alice.shows("[deleted]")
    said(alice, "/open 2")
    alice.shows("There is no web address 2: /open lists them.")
    said(alice, "/create user work")
    alice.at("[work] > ")
    said(alice, "/open")
    alice.shows("No message with a web address was shown.")
    said(alice, "/qr")
    alice.shows("No link was shown.", count=2)
    said(alice, "/user alice")
    alice.at("[alice] @bob > ")

    said(alice, "/g team")
    alice.shows("group #team is created")
    said(alice, "/tail @bbo")
    alice.shows("Did you mean @bob?")
    said(alice, "/members tean")
    alice.shows("Did you mean #team?")
    said(alice, "@team hi")
    alice.wait("the group", lambda: sum("Did you mean #team?" in line for line in alice.lines()) == 2)
    said(alice, "/a team bob adminn")
    alice.shows("adminn is not a role: owner, admin, moderator, member, observer. Did you mean admin?")
    for person in (alice, bob):
        person.type("\x04")
        assert person.exit() == 0
    world.relay.stop()


class SilentRelay:
    """Accepts connections and never says anything."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(16)
        port = self.socket.getsockname()[1]
        self.address = f"smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@127.0.0.1:{port}"


def silent(program, folder):
    """A relay that does not answer is said to be waited for, keeps no other command waiting, and Ctrl-C ends it."""
    relay = SilentRelay()
    arguments = ["-d", folder + "/a", "--display-name", "alice", "--no-preset-contacts", "-s", relay.address]
    terminal = Terminal([program, *arguments], folder, rows=24, columns=140)
    terminal.at("> ")
    said(terminal, "/c")
    terminal.shows("waiting for a relay (Ctrl-C stops waiting): /c")
    said(terminal, "/contacts")
    terminal.shows("You have no contacts yet.")
    terminal.shows("waiting for a relay (Ctrl-C stops waiting): /c")
    terminal.type("draft\x03")
    terminal.at("> ")
    terminal.shows("waiting for a relay")
    terminal.type("\x03")
    terminal.shows("No longer waiting for a relay: /c.")
    terminal.wait("no row", lambda: not any("stops waiting" in line for line in terminal.lines()))
    said(terminal, "/ad")
    terminal.shows("waiting for a relay (Ctrl-C stops waiting): /ad")
    said(terminal, "/quit")
    assert terminal.exit() == 0


def narrower(program, folder):
    """A narrower and a wider window: what is typed is there once, and lines are wrapped again."""
    arguments = [program, "-d", folder + "/a", "--display-name", "alice", "--no-preset-contacts"]
    terminal = Terminal(arguments, folder, rows=20, columns=100)
    terminal.at("> ")
    words = [f"number{number}" for number in range(12)]
    said(terminal, "/* " + " ".join(words))
    terminal.shows("number11")
    draft = " ".join(f"draft{number}" for number in range(9))
    terminal.type(draft)
    terminal.wait("the draft", lambda: "> " + draft in terminal.lines())
    for columns in (30, 24, 61, 100, 45):
        terminal.resize(20, columns)

        def drawn():
            screen = [line.rstrip() for line in terminal.screen.display]
            text = "".join(line for line in screen)
            shown = " ".join(screen).split()
            return text.count("draft0") == 1 and "> " + draft in "".join(
                line.ljust(columns) for line in screen) and [word for word in shown if word in words] == words

        terminal.wait(f"{columns} columns", drawn)
    terminal.type("!\x15/version\r")
    terminal.shows("SimpleX Chat v")
    terminal.at("> ")
    terminal.type("\x04")
    assert terminal.exit() == 0


def stopped(program, folder):
    """Ctrl-Z stops the program, and the shell continues it."""
    shell = Terminal(["/bin/bash", "--norc", "-i"], folder)
    shell.type(f"PS1='shell: '; {program} -d {folder}/a --display-name alice --no-preset-contacts\r")
    shell.shows("usage info")
    shell.at("> ")
    shell.type("draft\x1a")
    shell.shows("Stopped")
    shell.type("echo in the shell\r")
    shell.wait("the shell", lambda: "in the shell" in shell.lines())
    shell.type("fg\r")
    shell.at("> draft")
    shell.type("\x15/version\r")
    shell.shows("SimpleX Chat v")
    shell.type("/quit\r")
    shell.at("shell: ")
    shell.type("exit\r")
    end = time.monotonic() + 10
    while time.monotonic() < end and os.waitpid(shell.process, os.WNOHANG)[0] == 0:
        shell.read(0.05)


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[3], sys.argv[2])
