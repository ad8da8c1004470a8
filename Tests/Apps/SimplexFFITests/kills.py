# Two people talk through the C library while their programs and the relay are killed all the time.
#   kills.py LIBSIMPLEX SMP_SERVER FOLDER SECONDS SEED
#
# Both send without a pause, edit, react, delete for everybody or for themselves, and become contacts twice more, by a
# one-time link and by an address. Every second or so one of the three processes gets SIGKILL and is started again. A
# command that was cut off may have happened or not: the program finds out by reading the items, as an app would. In
# the end both have to show the same, and everything that was answered. What is done follows from the seed, the kills
# do not.
import os
import random
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from cores import Core, TIMEOUT  # noqa: E402
from kills_compare import differences, is_ready, number_of  # noqa: E402

LIBRARY, SERVER, FOLDER, SECONDS, SEED = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]), int(sys.argv[5])
EMOJI = ["👍", "❤"]

counts = {name: 0 for name in ["messages", "edits", "reactions", "deletions", "own deletions", "contacts", "in doubt"]}
counting = threading.Lock()


def count(what, number=1):
    with counting:
        counts[what] += number


class Relay:
    """The `smp-server` program, on the same port in every life."""

    def __init__(self):
        self.environment = {
            **os.environ, "HOME": FOLDER, "SMP_SERVER_CFG_PATH": os.path.join(FOLDER, "config"),
            "SMP_SERVER_LOG_PATH": os.path.join(FOLDER, "data")}
        subprocess.run(
            [SERVER, "init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"], env=self.environment,
            check=True, stdout=subprocess.DEVNULL)
        self.start()
        settings = os.path.join(FOLDER, "config", "smp-server.ini")
        with open(settings) as file:
            text = file.read()
        assert "port = 0\n" in text
        with open(settings, "w") as file:
            file.write(text.replace("port = 0\n", f"port = {self.port}\n"))

    def start(self):
        self.process = subprocess.Popen(
            [SERVER, "start"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        key = self.line("Server address: smp://").split("@")[0]
        self.port = self.line("Listening on ").split(" ")[-1]
        self.address = f"smp://{key}@127.0.0.1:{self.port}"
        # Its later output is not read.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def line(self, beginning):
        for line in self.process.stdout:
            _, found, rest = line.partition(beginning)
            if found:
                return rest.strip()
        raise AssertionError(f"the relay ended before: {beginning}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()


class Conversation:
    """What one person did in a conversation, as far as it is sure."""

    def __init__(self, contact):
        self.contact = contact
        self.sent = []  # numbers of messages, in order
        self.texts = {}  # the text of each, with the last edit
        self.deleted = set()  # for everybody
        self.hidden = set()  # own messages that were deleted for oneself
        self.hidden_received = set()  # the same with messages of the other person


class Person:
    """Somebody whose program is killed and opened again."""

    def __init__(self, name, relay):
        self.name = name
        self.prefix = os.path.join(FOLDER, name)
        self.chance = random.Random(f"{SEED} {name}")
        self.lock = threading.Lock()
        self.conversations = []
        self.number = 0
        self.core = None
        self.open()
        for command in [f"/create user {name}", "/_start", f"/smp {relay.address}"]:
            self.core.run(command)

    def open(self):
        self.core = Core(LIBRARY, self.prefix, tells=False)
        # The process before is gone, and the lease with it.
        result = self.core.ask("open")
        assert result == {"type": "ok"}, result

    def restart(self):
        self.core.kill()
        with self.lock:
            self.open()
            self.core.run("/_start")

    # Commands

    def ask(self, command):
        """The answer; None where the program was killed before it came."""
        with self.lock:
            return self.core.ask(command)

    def run(self, command):
        """The result of a command that may be given again; an error is one of the test."""
        while True:
            answer = self.ask(command)
            if answer is not None:
                assert "result" in answer, (self.name, command, answer)
                return answer["result"]
            time.sleep(0.01)

    def items(self, contact, number=1_000_000):
        return self.run(f"/_get chat @{contact} count={number}")["chat"]["chatItems"]

    def change(self, command, happened):
        """Gives a command once. Where its answer is missing, `happened` finds out; None says that it cannot yet."""
        answer = self.ask(command)
        if answer is not None:
            assert "result" in answer, (self.name, command, answer)
            return True
        count("in doubt")
        return happened()

    # What a person does

    def act(self):
        conversation = self.chance.choice(self.conversations)
        if self.chance.random() < 0.7:
            return self.say(conversation, 1 if self.chance.random() < 0.9 else self.chance.randint(2, 5))
        items = [item for item in self.items(conversation.contact, 25) if number_of(item) is not None]
        if not items:
            return
        item = self.chance.choice(items)
        number, own = number_of(item), item["chatDir"]["type"] == "directSnd"
        if item["meta"].get("itemDeleted"):
            return
        # The number says what happens to a message, so that both sides agree.
        kind = number % 5
        if kind == 0 and own and self.chance.random() < 0.6:
            self.edit(conversation, item, number)
        elif kind in [0, 4]:
            self.react(conversation, item)
        elif kind == 1 and own:
            change = self.edit if self.chance.random() < 0.5 else self.delete
            change(conversation, item, number)
        elif kind == 2 and not own or kind == 3 and own:
            self.hide(conversation, item, number, own)

    def say(self, conversation, how_many):
        numbers = range(self.number, self.number + how_many)
        self.number += how_many
        texts = {number: f"{self.name} {number}" for number in numbers}
        if how_many == 1:
            command = f"/_send @{conversation.contact} text {texts[numbers[0]]}"
        else:
            messages = ",".join('{"msgContent":{"type":"text","text":"%s"}}' % text for text in texts.values())
            command = f"/_send @{conversation.contact} json [{messages}]"

        def happened():
            found = {item["meta"]["itemText"] for item in self.items(conversation.contact, 4000)}
            stored = [number for number in numbers if texts[number] in found]
            assert stored in [[], list(numbers)], f"half of a command was stored: {command}, {stored}"
            return bool(stored)

        if self.change(command, happened):
            conversation.sent += numbers
            conversation.texts.update(texts)
            count("messages", how_many)

    def find(self, conversation, item):
        """An item as it is now."""
        number = item["meta"]["itemId"]
        return next((i for i in self.items(conversation.contact, 4000) if i["meta"]["itemId"] == number), None)

    def edit(self, conversation, item, number):
        text = f"{self.name} {number} edited {self.chance.randint(0, 999_999)}"

        def happened():
            return self.find(conversation, item)["meta"]["itemText"] == text

        if self.change(f"/_update item @{conversation.contact} {item['meta']['itemId']} text {text}", happened):
            conversation.texts[number] = text
            count("edits")

    def react(self, conversation, item):
        emoji = self.chance.choice(EMOJI)
        mine = [r["reaction"].get("emoji") for r in item["reactions"] if r["userReacted"]]
        how = "off" if emoji in mine else "on"
        reaction = '{"type":"emoji","emoji":"%s"}' % emoji
        command = f'/_reaction @{conversation.contact} {item["meta"]["itemId"]} {how} {reaction}'
        # Both outcomes are right; what counts is that both sides show the same.
        if self.change(command, lambda: False):
            count("reactions")

    def delete(self, conversation, item, number):
        def happened():
            now = self.find(conversation, item)
            return now is None or now["meta"].get("itemDeleted") is not None

        if self.change(f"/_delete item @{conversation.contact} {item['meta']['itemId']} broadcast", happened):
            conversation.deleted.add(number)
            count("deletions")

    def hide(self, conversation, item, number, own):
        def happened():
            return self.find(conversation, item) is None

        if self.change(f"/_delete item @{conversation.contact} {item['meta']['itemId']} internal", happened):
            (conversation.hidden if own else conversation.hidden_received).add(number)
            count("own deletions")

    # Contacts

    def contacts(self):
        return {c["contactId"] for c in self.run("/_contacts 1")["contacts"] if is_ready(c)}

    def ask_relay(self, command):
        """The answer of a command that needs the relay, which may be killed just then; None if the program was killed."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self.ask(command)
            if answer is None or "'BROKER'" not in str(answer.get("error")):
                return answer
            assert time.monotonic() < deadline, (command, answer)
            time.sleep(0.1)

    def invitation(self):
        """A one-time link; one that was made before the program was killed is used."""
        while True:
            answer = self.ask_relay("/_connect 1 incognito=on")
            if answer is not None:
                assert "result" in answer, answer
                return answer["result"]["connLinkInvitation"]
            for chat in self.run("/_get chats 1 pcc=on")["chats"]:
                link = chat["chatInfo"].get("contactConnection", {}).get("connLinkInv")
                if link:
                    return link

    def address(self):
        while self.ask_relay("/_address 1") is None:
            pass
        link = self.run("/_show_address 1")["contactLink"]["connLinkContact"]
        self.run('/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}')
        return link

    def join(self, link, results):
        """Connects by a link; again after a failure, such as the relay's."""
        command = f"/_connect 1 incognito=on {link['connFullLink']} {link['connShortLink']}"
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self.ask(command) or {}
            kind = answer.get("result", {}).get("type")
            if kind in results:
                return
            assert time.monotonic() < deadline, (command, answer)
            time.sleep(0.1)


def meet(alice, bob, link, results):
    """They become contacts once more, and talk there too."""
    known = [{c.contact for c in person.conversations} for person in [alice, bob]]
    bob.join(link, results)
    deadline = time.monotonic() + TIMEOUT
    while True:
        new = [person.contacts() - ids for person, ids in zip([alice, bob], known)]
        assert all(len(ids) <= 1 for ids in new), ("more than one contact", new)
        if all(new):
            break
        assert time.monotonic() < deadline, ("not connected", new)
        time.sleep(0.1)
    for person, ids in zip([alice, bob], new):
        person.conversations.append(Conversation(ids.pop()))
    count("contacts")


def wait_until_quiet(alice, bob):
    """Waits until nothing changes in the last items; what is on its way then arrives sooner or later."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < 2:
        time.sleep(0.2)
        now = [person.items(c.contact, 20) for person in [alice, bob] for c in person.conversations]
        if now != before:
            before, since = now, time.monotonic()


def main():
    started = time.monotonic()
    relay = Relay()
    alice, bob = Person("alice", relay), Person("bob", relay)
    meet(alice, bob, alice.invitation(), ["sentConfirmation"])
    failures = []
    end = time.monotonic() + SECONDS

    def guarded(body):
        def run():
            try:
                body()
            except BaseException as error:
                failures.append(error)
                raise

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def talk(person):
        while time.monotonic() < end and not failures:
            person.act()
            # So that what is received keeps up with what is sent.
            time.sleep(0.005)

    def make_contacts():
        time.sleep(SECONDS / 5)
        meet(alice, bob, alice.invitation(), ["sentConfirmation"])
        time.sleep(SECONDS / 5)
        meet(alice, bob, alice.address(), ["sentInvitation"])

    threads = [guarded(lambda: talk(alice)), guarded(lambda: talk(bob)), guarded(make_contacts)]
    kills = {"alice": 0, "bob": 0, "relay": 0}
    chance = random.Random(f"{SEED} kills")
    while time.monotonic() < end and not failures:
        time.sleep(chance.uniform(0.4, 1.2))
        name = chance.choice(list(kills))
        {"alice": alice, "bob": bob, "relay": relay}[name].restart()
        kills[name] += 1
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    seconds = time.monotonic() - started

    wait_until_quiet(alice, bob)
    deadline, found = time.monotonic() + TIMEOUT, ["not compared"]
    while found:
        found = differences(alice, bob)
        assert not found or time.monotonic() < deadline, "\n".join(found[:20])
    for person in [alice, bob]:
        person.core.end()
    relay.kill()
    print(", ".join(f"{number} {what}" for what, number in counts.items()) + f"; {sum(kills.values())} kills: "
          + ", ".join(f"{name} {number}" for name, number in kills.items()) + f"; {seconds:.0f} s, seed {SEED}")


try:
    main()
except BaseException:
    # Whatever still runs would be waited for.
    import traceback
    traceback.print_exc()
    sys.stderr.flush()
    for child in subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True).stdout.split():
        os.kill(int(child), 9)
    os._exit(1)
