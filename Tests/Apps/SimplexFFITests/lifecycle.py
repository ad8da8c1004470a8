# The life of an app and its extension: two processes with the databases of one profile, and a peer in a third.
#   lifecycle.py LIBSIMPLEX FOLDER RELAY ROUNDS SEED
#
# In each round one of the two has the profile. It opens or comes back, sends, receives, and hands over, or is killed at
# any point. Everything that was accepted arrives once, in order; everything that the peer sent is in the chat once.
import os
import random
import sys
import time

sys.dont_write_bytecode = True
from cores import Core, TIMEOUT  # noqa: E402


def texts(core, contact):
    """Texts of the chat by direction, in order."""
    items = core.run(f"/_get chat @{contact} count=100000")["chat"]["chatItems"]
    sent, received = [], []
    for item in items:
        kind = item["content"]["type"]
        if kind == "sndMsgContent":
            sent.append(item["meta"]["itemText"])
        elif kind == "rcvMsgContent":
            received.append(item["meta"]["itemText"])
    return sent, received


def wait(condition, what):
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(0.05)


def main(folder, relay, rounds, seed):
    chance = random.Random(seed)
    prefix = os.path.join(folder, "alice")
    peer = Core(sys.argv[1], os.path.join(folder, "bob"))
    app, extension = Core(sys.argv[1], prefix), None
    cores = [peer, app]
    for core, name in [(peer, "bob"), (app, "alice")]:
        assert core.ask("open") == {"type": "ok"}
        core.run(f"/create user {name}")
        core.run("/_start")
        core.run(f"/smp {relay}")
    link = app.run("/connect")["connLinkInvitation"]["connFullLink"]
    peer.run(f"/connect {link}")
    app.event("contactConnected")
    peer.event("contactConnected")
    contact = 1
    for item in app.run("/_get chats 1 pcc=on")["chats"]:
        if item["chatInfo"].get("contact", {}).get("localDisplayName") == "bob":
            contact = item["chatInfo"]["contact"]["contactId"]

    accepted, sent_by_peer, number = [], [], 0
    names = {"app": app, "extension": None}
    suspended = {"app": False, "extension": False}
    holder = "app"

    def say(core, sure=True):
        """Sends; it counts when it was answered."""
        nonlocal number
        number += 1
        text = f"message {number}"
        answer = core.ask(f"@bob {text}")
        if answer and "result" in answer:
            accepted.append(text)
        elif sure:
            raise AssertionError((text, answer))

    def peer_says():
        text = f"peer {len(sent_by_peer) + 1}"
        peer.run(f"@alice {text}")
        sent_by_peer.append(text)

    for turn in range(rounds):
        core = names[holder]
        peer_says()
        say(core)
        other = "extension" if holder == "app" else "app"
        # A process without the databases gets an error at once, for every function.
        if names[other] is None:
            names[other] = Core(sys.argv[1], prefix)
            cores.append(names[other])
            refused = names[other].ask("open")
            assert refused["type"] == "errorSQL" and "another process" in refused["migrationSQLError"], refused
        elif suspended[other]:
            refused = names[other].ask("reopen_store")
            assert "another process" in refused, refused
        kind = chance.choice(["suspend", "suspend and close", "close", "kill", "kill while suspending", "kill while sending"])
        if kind.startswith("suspend"):
            core.run(f"/_app suspend {chance.choice([1_000, 50_000, 2_000_000])}")
            if chance.random() < 0.5:
                say(core, sure=False)
            core.event("chatSuspended")
            if kind == "suspend and close":
                assert core.ask("close_store") == ""
            suspended[holder] = True
        elif kind == "close":
            core.run("/_app suspend 0")
            assert core.ask("close_store") == ""
            suspended[holder] = True
        else:
            if kind == "kill while suspending":
                core.process.stdin.write(b"/_app suspend 2000000\n")
                core.process.stdin.flush()
            elif kind == "kill while sending":
                number += 1
                # It may be accepted although the answer is never seen.
                core.process.stdin.write(f"@bob perhaps {number}\n".encode())
                core.process.stdin.flush()
            time.sleep(chance.random() * 0.02)
            core.kill()
            names[holder] = None
            suspended[holder] = False
        peer_says()
        # The other one, or the same, takes the profile.
        if chance.random() < 0.8 or names[holder] is None:
            holder = other
        core = names[holder]
        if chance.random() < 0.3:
            # Killed while it opens or comes back; the next process on the same databases takes the profile.
            for line in ["reopen_store", "/_app activate"] if suspended[holder] else ["open", "/_start"]:
                core.process.stdin.write(line.encode() + b"\n")
            core.process.stdin.flush()
            time.sleep(chance.random() * 0.05)
            core.kill()
            core = names[holder] = Core(sys.argv[1], prefix)
            cores.append(core)
            suspended[holder] = False
        if suspended[holder]:
            if chance.random() < 0.7 or kind == "suspend and close":
                assert core.ask("reopen_store") == "", "the databases were released"
            core.run("/_app activate")
            suspended[holder] = False
        else:
            result = core.ask("open")
            assert result == {"type": "ok"}, result
            core.run("/_start")
        say(core)
        # Everything that the peer said so far arrives, once, in this process or the one before.
        wait(lambda: texts(core, contact)[1] == sent_by_peer,
             lambda: ("received", texts(core, contact)[1][-9:], sent_by_peer[-9:]))

    core = names[holder]
    say(core)
    alice = next(item["chatInfo"]["contact"]["contactId"] for item in peer.run("/_get chats 1 pcc=on")["chats"]
                 if item["chatInfo"].get("contact", {}).get("localDisplayName") == "alice")
    def arrived():
        return [text for text in texts(peer, alice)[1] if text.startswith("message")]
    wait(lambda: arrived()[-1:] == accepted[-1:], lambda: (arrived()[-5:], accepted[-5:]))
    got = texts(peer, alice)[1]
    assert len(set(got)) == len(got), ("twice", [text for text in got if got.count(text) > 1])
    missing = [text for text in accepted if text not in got]
    assert not missing, ("missing", missing)
    assert arrived() == sorted(arrived(), key=lambda text: int(text.split()[1])), "out of order"
    mine = texts(core, contact)[0]
    assert len(set(mine)) == len(mine), ("shown twice", mine)
    assert [text for text in mine if text in set(accepted)] == accepted
    # New keys reset a verified security code. The app sees that in an item: events for terminals are not returned.
    peer.run(f"/_verify code @{alice} " + peer.run(f"/_get code @{alice}")["connectionCode"])
    core.run(f"/_sync @{contact} force=on")
    kinds = set()
    while "contactRatchetSync" not in kinds or "verificationCodeReset" not in kinds:
        event = peer.events.get(timeout=30).get("result", {})
        kinds.add(event.get("type"))
        for item in event.get("chatItems", []) if event.get("type") == "newChatItems" else []:
            kinds.add(item["chatItem"]["content"].get("rcvConnEvent", {}).get("type"))
    assert "terminalEvent" not in kinds, kinds
    for core in cores:
        if core.process.poll() is None:
            core.end()
    print(f"{rounds} rounds, {len(accepted)} sent, {len(sent_by_peer)} received")


main(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
