# What `kills.py` compares in the end: what both people see, and what each of them did.
import json


def number_of(item):
    """The number of a message; None for other items."""
    if item["content"]["type"] not in ["sndMsgContent", "rcvMsgContent"]:
        return None
    words = item["meta"]["itemText"].split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else None


def is_ready(contact):
    connection = contact.get("activeConn") or {}
    return connection.get("connStatus", {}).get("type") == "ready"


def reactions(item, own):
    """The reactions of oneself, or those of the other person."""
    def applies(reaction):
        mine = reaction["userReacted"]
        return mine if own else reaction["totalReacted"] > (1 if mine else 0)

    return sorted(r["reaction"]["emoji"] for r in item["reactions"] if applies(r))


def first_difference(one, other):
    index = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"at {index} of {len(one)} and {len(other)}: {one[index:index + 4]}, {other[index:index + 4]}"


def differences(alice, bob):
    """What is different; nothing at all in the end."""
    found = []
    for person in [alice, bob]:
        expected = {c.contact for c in person.conversations}
        if person.contacts() != expected:
            found.append(f"{person.name} has the contacts {person.contacts()} and not {expected}")
        chats = person.run("/_get chats 1 pcc=on")["chats"]
        pending = [chat for chat in chats if chat["chatInfo"]["type"] == "contactConnection"]
        if pending:
            found.append(f"{person.name} has connections that are not finished: {json.dumps(pending)}")
    for mine, theirs in zip(alice.conversations, bob.conversations):
        seen = [alice.items(mine.contact), bob.items(theirs.contact)]
        for person, items in zip([alice, bob], seen):
            found += doubled(person.name, items)
        found += direction(alice, mine, seen[0], theirs, seen[1])
        found += direction(bob, theirs, seen[1], mine, seen[0])
    return found


def doubled(name, items):
    """Items that tell of errors, and those that are there twice though they tell the same."""
    found, contents = [], set()
    for item in items:
        kind = item["content"]["type"]
        if kind in ["rcvIntegrityError", "rcvDecryptionError", "rcvMsgError", "invalidJSON"]:
            found.append(f"{name} shows {json.dumps(item['content'])}")
        if number_of(item) is None:
            content = json.dumps(item["content"])
            if content in contents:
                found.append(f"{name} shows twice: {content}")
            contents.add(content)
    return found


def direction(sender, sending, sender_items, receiving, receiver_items):
    """Compares the messages of one person in one conversation."""
    name, found = sender.name, []
    sent = [i for i in sender_items if number_of(i) is not None and i["chatDir"]["type"] == "directSnd"]
    received = [i for i in receiver_items if number_of(i) is not None and i["chatDir"]["type"] == "directRcv"]
    kept = [n for n in sending.sent if n not in sending.hidden]
    if [number_of(i) for i in sent] != kept:
        found.append(f"{name} sent, {first_difference([number_of(i) for i in sent], kept)}")
    kept = [n for n in sending.sent if n not in receiving.hidden_received]
    if [number_of(i) for i in received] != kept:
        found.append(f"{name}'s are received, {first_difference([number_of(i) for i in received], kept)}")
    theirs = {number_of(i): i for i in received}
    for item in sent:
        number, meta = number_of(item), item["meta"]
        if meta["itemStatus"]["type"] != "sndRcvd":
            found.append(f"{meta['itemText']} is {meta['itemStatus']}")
        if meta["itemText"] != sending.texts[number]:
            found.append(f"{name} shows {meta['itemText']} and not {sending.texts[number]}")
        if (meta.get("itemDeleted") is not None) != (number in sending.deleted):
            found.append(f"{meta['itemText']} is deleted: {meta.get('itemDeleted')}")
        if number in theirs:
            found += same(item, theirs[number])
    for number, item in theirs.items():
        if item["meta"]["itemText"] != sending.texts[number]:
            found.append(f"{name}'s {sending.texts[number]} is received as {item['meta']['itemText']}")
        if (item["meta"].get("itemDeleted") is not None) != (number in sending.deleted):
            found.append(f"{name}'s {sending.texts[number]} is deleted: {item['meta'].get('itemDeleted')}")
    return found


def same(sent, received):
    """Compares one message as both sides show it."""
    found, text = [], sent["meta"]["itemText"]
    for key in ["itemSharedMsgId", "itemEdited"]:
        if sent["meta"].get(key) != received["meta"].get(key):
            found.append(f"{text}: {key} {sent['meta'].get(key)}, {received['meta'].get(key)}")
    for own in [True, False]:
        pair = reactions(sent, own), reactions(received, not own)
        if pair[0] != pair[1]:
            found.append(f"{text}: reactions {pair[0]}, {pair[1]}")
    return found
