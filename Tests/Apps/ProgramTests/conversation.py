"""Two chat programs, of whatever origin, become contacts through a relay and do with each other what contacts do.

    conversation.py PROGRAM PROGRAM RELAY [OPTION...]

Programs need the WebSocket API (-p) of the chat core. Prints a line for each step; ends with 1 if one failed.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chat_program import ChatProgram, Failure  # noqa: E402

PIXEL = "data:image/jpg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQ=="


class Conversation:
    def __init__(self, alice, bob):
        self.alice, self.bob = alice, bob
        self.results = []

    @property
    def people(self):
        return [self.alice, self.bob]

    def other(self, person):
        return self.bob if person is self.alice else self.alice

    async def step(self, name, action):
        try:
            await action()
            failure = None
        except Failure as error:
            failure = str(error)
        except Exception:
            failure = traceback.format_exc()
        self.results.append((name, failure))
        print(("ok      " if failure is None else "FAILED  ") + name + ("" if failure is None else f": {failure}"), flush=True)
        return failure is None

    # Messages.

    async def say(self, person, content, quoted=None, live=False, ttl=None):
        """Sends a message to the other one; both items of it."""
        if isinstance(content, str):
            content = {"type": "text", "text": content}
        message = {"msgContent": content, "mentions": {}}
        if quoted is not None:
            message["quotedItemId"] = quoted
        command = f"/_send @{person.contact}{' live=on' if live else ''}{f' ttl={ttl}' if ttl else ''} json " + json.dumps([message])
        sent = (await person.do(command, "newChatItems"))["chatItems"][0]["chatItem"]
        received = await self.other(person).item(content["text"])
        return sent, received

    async def delivered(self, person, item):
        """Waits until the receipt for this item came."""

        def is_delivered(event):
            return any(
                status["chatItem"]["meta"]["itemId"] == item["meta"]["itemId"]
                and status["chatItem"]["meta"]["itemStatus"]["type"] == "sndRcvd"
                for status in event["chatItems"])

        await person.event("chatItemsStatusesUpdated", is_delivered)

    async def connected(self):
        """Both learn of the new contact."""
        for person in self.people:
            contact = (await person.event("contactConnected"))["contact"]
            person.contact = contact["contactId"]
            person.version = (contact["activeConn"] or {}).get("peerChatVRange")
            person.other_name = contact["localDisplayName"]

    # Steps.

    async def by_invitation(self, kind="connFullLink", incognito="off", connect="/_connect 1 incognito=off "):
        response = await self.alice.do(f"/_connect 1 incognito={incognito}", "invitation")
        link = response["connLinkInvitation"].get(kind)
        if not link:
            raise Failure(f"no {kind} in {json.dumps(response)[:500]}")
        plan = await self.bob.do(f"/_connect plan 1 {link}", "connectionPlan")
        if plan["connectionPlan"]["type"] != "invitationLink":
            raise Failure(json.dumps(plan)[:500])
        link = plan["connLink"]
        text = link["connFullLink"] + (" " + link["connShortLink"] if link.get("connShortLink") else "")
        await self.bob.do(connect + text, "sentConfirmation", "sentInvitation")
        await self.connected()

    async def by_short_invitation(self):
        await self.by_invitation("connShortLink")

    async def messages(self):
        for index in range(5):
            for person in self.people:
                sent, _ = await self.say(person, f"message {index} of {person.name} 🙂")
                await self.delivered(person, sent)

    async def many(self, count=100):
        for person in self.people:
            for index in range(count):
                await person.do(f"/_send @{person.contact} text many {index}", "newChatItems")
        for person in self.people:
            for index in range(count):
                await person.item(f"many {index}")

    async def both_at_once(self, count=30):
        async def one(person):
            for index in range(count):
                await person.do(f"/_send @{person.contact} text crossing {index}", "newChatItems")

        await asyncio.gather(*[one(person) for person in self.people])
        for person in self.people:
            for index in range(count):
                await person.item(f"crossing {index}")

    async def batch(self):
        for person in self.people:
            messages = [{"msgContent": {"type": "text", "text": f"batch {index}"}, "mentions": {}} for index in range(40)]
            await person.do(f"/_send @{person.contact} json " + json.dumps(messages), "newChatItems")
            for index in range(40):
                await self.other(person).item(f"batch {index}")

    async def code(self):
        codes = [(await person.do(f"/_get code @{person.contact}", "contactCode"))["connectionCode"] for person in self.people]
        if codes[0] != codes[1]:
            raise Failure(f"codes differ: {codes}")
        for person in self.people:
            verified = await person.do(f"/_verify code @{person.contact} {codes[0]}", "connectionVerified")
            if not verified["verified"]:
                raise Failure("not verified")

    async def post_quantum(self):
        for _ in range(3):
            for person in self.people:
                await self.say(person, f"for a ratchet step of {person.name}")
        for person in self.people:
            chat = await person.do(f"/_get chat @{person.contact} count=1", "apiChat")
            connection = chat["chat"]["chatInfo"]["contact"]["activeConn"]
            if not (connection.get("pqSndEnabled") and connection.get("pqRcvEnabled")):
                raise Failure(f"{person.name}: {json.dumps(connection)}")

    async def quote(self):
        for person in self.people:
            other = self.other(person)
            _, received = await self.say(other, f"to be quoted by {person.name}")
            _, reply = await self.say(person, f"reply of {person.name}", quoted=received["meta"]["itemId"])
            if reply["quotedItem"]["content"]["text"] != f"to be quoted by {person.name}" or not reply["quotedItem"].get("itemId"):
                raise Failure(json.dumps(reply))

    async def edit(self):
        for person in self.people:
            sent, received = await self.say(person, f"first text of {person.name}")
            content = json.dumps({"msgContent": {"type": "text", "text": "second text"}, "mentions": {}})
            await person.do(f"/_update item @{person.contact} {sent['meta']['itemId']} json {content}", "chatItemUpdated")
            event = await self.other(person).event("chatItemUpdated")
            item = event["chatItem"]["chatItem"]
            if item["meta"]["itemText"] != "second text" or item["meta"]["itemId"] != received["meta"]["itemId"] or not item["meta"]["itemEdited"]:
                raise Failure(json.dumps(event))

    async def live(self):
        for person in self.people:
            sent, _ = await self.say(person, f"live of {person.name}", live=True)
            for text, is_live in [("live and", " live=on"), ("live and done", "")]:
                content = json.dumps({"msgContent": {"type": "text", "text": text}, "mentions": {}})
                await person.do(f"/_update item @{person.contact} {sent['meta']['itemId']}{is_live} json {content}", "chatItemUpdated")
                event = await self.other(person).event("chatItemUpdated", lambda event: event["chatItem"]["chatItem"]["meta"]["itemText"] == text)
                if bool(event["chatItem"]["chatItem"]["meta"].get("itemLive")) != bool(is_live):
                    raise Failure(json.dumps(event))

    async def reaction(self):
        for person in self.people:
            other = self.other(person)
            _, received = await self.say(other, f"to be liked by {person.name}")
            for added in ["on", "off"]:
                reaction = json.dumps({"type": "emoji", "emoji": "👍"})
                await person.do(f"/_reaction @{person.contact} {received['meta']['itemId']} {added} {reaction}", "chatItemReaction")
                event = await other.event("chatItemReaction")
                if event["added"] != (added == "on") or event["reaction"]["chatReaction"]["reaction"]["emoji"] != "👍":
                    raise Failure(json.dumps(event))

    async def deletion(self):
        for person in self.people:
            sent, received = await self.say(person, f"to be deleted by {person.name}")
            await person.do(f"/_delete item @{person.contact} {sent['meta']['itemId']} broadcast", "chatItemsDeleted")
            event = await self.other(person).event("chatItemsDeleted")
            if event["chatItemDeletions"][0]["deletedChatItem"]["chatItem"]["meta"]["itemId"] != received["meta"]["itemId"]:
                raise Failure(json.dumps(event))

    async def contents(self):
        contents = [
            {"type": "link", "text": "https://example.com a page", "preview": {
                "uri": "https://example.com", "title": "Example", "description": "A page", "image": PIXEL}},
            {"type": "text", "text": "*bold* _italic_ ~struck~ `code` !1 red! #secret# @bob simplex:/contact"},
            {"type": "text", "text": "long " + "ä€🙂 " * 1400 + "end"},
            {"type": "unknownKind", "text": "of a later version", "member": 1},
            {"type": "image", "text": "a picture", "image": PIXEL},
            {"type": "video", "text": "a film", "image": PIXEL, "duration": 3},
            {"type": "voice", "text": "a voice", "duration": 2},
        ]
        for person in self.people:
            for content in contents:
                await person.do(
                    f"/_send @{person.contact} json " + json.dumps([{"msgContent": content, "mentions": {}}]), "newChatItems")
                received = await self.other(person).item(content["text"])
                got = received["content"]["msgContent"]
                if got != content:
                    raise Failure(f"{person.name} sent {json.dumps(content)[:400]}, came {json.dumps(got)[:400]}")

    async def disappearing(self):
        await self.alice.do(f"/_set prefs @{self.alice.contact} " + json.dumps({"timedMessages": {"allow": "yes", "ttl": 3600}}), "contactPrefsUpdated")
        await self.bob.event("contactUpdated")
        await self.bob.do(f"/_set prefs @{self.bob.contact} " + json.dumps({"timedMessages": {"allow": "yes", "ttl": 3600}}), "contactPrefsUpdated")
        await self.say(self.bob, "after the preference")
        for person in self.people:
            _, received = await self.say(person, f"vanishes, of {person.name}")
            if (received["meta"].get("itemTimed") or {}).get("ttl") != 3600:
                raise Failure(json.dumps(received))
        await self.alice.do(f"/_set prefs @{self.alice.contact} " + json.dumps({"timedMessages": {"allow": "no"}}), "contactPrefsUpdated")
        await self.bob.event("contactUpdated")
        _, received = await self.say(self.bob, "stays")
        if received["meta"].get("itemTimed"):
            raise Failure(json.dumps(received))

    async def feature(self):
        for name in ["fullDelete", "reactions", "voice", "calls", "sessions"]:
            for person in self.people:
                await person.do(f"/_set prefs @{person.contact} " + json.dumps({name: {"allow": "always"}}), "contactPrefsUpdated")
                event = await self.other(person).event("contactUpdated")
                got = event["toContact"]["mergedPreferences"][name]["contactPreference"]["allow"]
                if got != "always":
                    raise Failure(f"{name}: {json.dumps(event['toContact']['mergedPreferences'][name])}")

    async def profile(self):
        for person in self.people:
            name = person.name + "2"
            await person.do("/_profile 1 " + json.dumps({"displayName": name, "fullName": "Full " + name, "image": PIXEL, "shortDescr": "who I am"}),
                            "userProfileUpdated")
            event = await self.other(person).event("contactUpdated")
            profile = event["toContact"]["profile"]
            if [profile["displayName"], profile["fullName"], profile.get("image"), profile.get("shortDescr")] != [name, "Full " + name, PIXEL, "who I am"]:
                raise Failure(json.dumps(profile))

    async def switch(self):
        for person in self.people:
            await person.do(f"/_switch @{person.contact}", "contactSwitchStarted")
            await person.event("contactSwitch", lambda event: event["switchProgress"]["switchPhase"] == "completed", 60)
            await self.other(person).event("contactSwitch", lambda event: event["switchProgress"]["switchPhase"] == "completed", 60)
            for speaker in self.people:
                await self.say(speaker, f"{speaker.name}, after {person.name} changed the queue")

    async def synchronize(self):
        for person in self.people:
            await person.do(f"/_sync @{person.contact} force=on", "contactRatchetSyncStarted")
            for each in self.people:
                await each.event("contactRatchetSync", lambda event: event["ratchetSyncProgress"]["ratchetSyncStatus"] == "ok")
            for speaker in self.people:
                await self.say(speaker, f"{speaker.name}, after {person.name} synchronized")

    async def restart(self):
        for person in self.people:
            await person.stop()
            other = self.other(person)
            for index in range(10):
                await other.do(f"/_send @{other.contact} text while {person.name} was away {index}", "newChatItems")
            await person.start()
            for index in range(10):
                await person.item(f"while {person.name} was away {index}", 60)
            await self.say(person, f"{person.name} is back")

    async def kill(self):
        for person in self.people:
            await self.say(person, f"before {person.name} is killed")
            await person.stop(gently=False)
            await person.start()
            await self.say(person, f"{person.name} was killed")
            await self.say(self.other(person), f"{person.name} lives")

    async def long_silence(self):
        """One side says a lot without an answer, so that one chain is long; then the other answers."""
        for person in self.people:
            for index in range(60):
                await person.do(f"/_send @{person.contact} text monologue {index}", "newChatItems")
            for index in range(60):
                await self.other(person).item(f"monologue {index}")

    async def full_queue(self, count=140):
        """A relay keeps 128 messages; the sender continues when the recipient has received them."""
        for person in self.people:
            other = self.other(person)
            await person.stop()
            for index in range(count):
                await other.do(f"/_send @{other.contact} text too much {index}", "newChatItems")
            await person.start()
            for index in range(count):
                await person.item(f"too much {index}", 60)

    async def delete_contact(self):
        # A receipt that comes after the contact is gone is an error, rightly.
        for person in self.people:
            sent, _ = await self.say(person, f"{person.name} leaves")
            await self.delivered(person, sent)
        await self.alice.do(f"/_delete @{self.alice.contact} full notify=on", "contactDeleted")
        await self.bob.event("contactDeletedByContact")
        await self.bob.do(f"/_delete @{self.bob.contact} full notify=off", "contactDeleted")

    async def address(self, owner, kind, accept):
        guest = self.other(owner)
        if owner.address is None:
            created = await owner.do("/_address 1", "userContactLinkCreated")
            owner.address = created["connLinkContact"]
        settings = {"businessAddress": False, "autoAccept": {"acceptIncognito": False} if accept else None,
                    "autoReply": {"type": "text", "text": "Welcome!"} if accept else None}
        await owner.do("/_address_settings 1 " + json.dumps({k: v for k, v in settings.items() if v is not None}), "userContactLinkUpdated")
        link = owner.address.get(kind)
        if not link:
            raise Failure(f"no {kind}: {json.dumps(owner.address)[:300]}")
        plan = await guest.do(f"/_connect plan 1 {link}", "connectionPlan")
        link = plan["connLink"]
        text = link["connFullLink"] + (" " + link["connShortLink"] if link.get("connShortLink") else "")
        await guest.do(f"/_connect 1 incognito=off {text}", "sentInvitation")
        if not accept:
            request = (await owner.event("receivedContactRequest"))["contactRequest"]
            await owner.do(f"/_accept incognito=off {request['contactRequestId']}", "acceptingContactRequest")
        await self.connected()
        if accept:
            await guest.item("Welcome!")
        for person in self.people:
            await self.say(person, f"{person.name} by address, {kind}, {accept}")

    async def prepared(self):
        """The way of the apps: a contact prepared from a short link, then a first message with the request."""
        link = self.alice.address["connShortLink"]
        plan = await self.bob.do(f"/_connect plan 1 {link}", "connectionPlan")
        data = plan["connectionPlan"]["contactAddressPlan"].get("contactSLinkData_")
        if not data:
            raise Failure(json.dumps(plan)[:800])
        link = plan["connLink"]
        text = link["connFullLink"] + " " + link["connShortLink"]
        chat = await self.bob.do(f"/_prepare contact 1 {text} " + json.dumps(data), "newPreparedChat")
        contact = chat["chat"]["chatInfo"]["contact"]["contactId"]
        await self.bob.do(f"/_connect contact @{contact} incognito=off text first words", "startedConnectionToContact")
        await self.connected()
        for person in self.people:
            await self.say(person, f"{person.name}, prepared")

    async def incognito(self):
        await self.by_invitation(incognito="on", connect="/_connect 1 incognito=on ")
        for person in self.people:
            if person.other_name.startswith(("alice", "bob")):
                raise Failure(f"{person.name} sees {person.other_name}")
            await self.say(person, f"{person.name}, not known")

    async def no_errors(self):
        for person in self.people:
            for event in person.errors():
                # A receipt cannot be sent while ratchets are synchronized; the connections of a contact end before
                # the last events of them; who was killed may get a message again that is in the database already.
                known = ["ratchet is not synchronized", "noConnectionUser", "connectionNotFound", "NOT_FOUND",
                         "chat_items.shared_msg_id"]
                if any(text in json.dumps(event) for text in known):
                    continue
                raise Failure(f"{person.name}: {json.dumps(event)[:600]}")

    async def run(self):
        if not await self.step("start", lambda: self.start()):
            return
        ok = await self.step("connect by a full invitation", self.by_invitation)
        if ok:
            for name, action in [
                ("messages and receipts", self.messages), ("security code", self.code),
                ("post-quantum encryption", self.post_quantum), ("100 messages each way", self.many),
                ("both at once", self.both_at_once), ("batches", self.batch), ("a monologue", self.long_silence),
                ("quotes", self.quote), ("edits", self.edit), ("live messages", self.live), ("reactions", self.reaction),
                ("deletion", self.deletion), ("kinds of content", self.contents), ("disappearing messages", self.disappearing),
                ("preferences", self.feature), ("profiles", self.profile), ("restarts", self.restart), ("crashes", self.kill), ("full queues", self.full_queue),
                ("replacing queues", self.switch), ("ratchet synchronization", self.synchronize),
                ("messages after all that", self.messages), ("security code again", self.code), ("no errors", self.no_errors),
                ("deletion of the contact", self.delete_contact),
            ]:
                await self.step(name, action)
        if await self.step("connect by a short invitation", self.by_short_invitation):
            await self.step("messages", self.messages)
            await self.step("deletion", self.delete_contact)
        for owner in self.people:
            for kind in ["connFullLink", "connShortLink"]:
                for accept in [False, True]:
                    name = f"address of {owner.name}, {kind}, {'automatic' if accept else 'accepted by hand'}"
                    if await self.step(name, lambda: self.address(owner, kind, accept)):
                        await self.step("deletion", self.delete_contact)
        await self.step("prepared contact", self.prepared)
        await self.step("incognito", self.incognito)
        await self.step("no errors in the end", self.no_errors)

    async def start(self):
        for person in self.people:
            person.address = None
            await person.start()
            await person.do("/set receipts all on")


async def main(programs, relay, options):
    folder = tempfile.mkdtemp(prefix="conversation")
    people = [ChatProgram(program, folder, name, relay, options) for program, name in zip(programs, ["alice", "bob"])]
    conversation = Conversation(*people)
    try:
        await asyncio.wait_for(conversation.run(), 1800)
    finally:
        for person in people:
            try:
                await person.stop()
            except Exception:
                pass
    failed = [name for name, failure in conversation.results if failure]
    print(f"{len(conversation.results)} steps, {len(failed)} failed", "" if not failed else f"; logs in {folder}")
    if not failed:
        shutil.rmtree(folder)
    sys.exit(1 if failed or not conversation.results else 0)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:3], sys.argv[3], sys.argv[4:]))
