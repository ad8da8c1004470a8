"""A bot over the WebSocket API: it has an address, accepts everybody, and sends back what it is sent. It ends with an
error when the chat core ends, so that whatever runs it can start both again. What it did not answer before, it gets
when it connects: a message that is not marked as read comes again.

    simplex-chat -d ./bot --create-bot-display-name Echo -p 5225      # the chat core
    pip install websockets && python3 echo_bot.py [PORT]              # the bot
"""

import asyncio
import itertools
import json
import sys

import websockets


class Core:
    """A connection to the chat core: responses by the number of their command, events in order."""

    def __init__(self, socket):
        self.socket, self.numbers = socket, itertools.count(1)
        self.waiting, self.events = {}, asyncio.Queue()

    async def read(self):
        """Distributes what arrives, until the connection ends."""
        async for text in self.socket:
            message = json.loads(text)
            if "corrId" in message:
                self.waiting.pop(message["corrId"]).set_result(message["resp"])
            else:
                await self.events.put(message["resp"])

    async def send(self, command):
        """The response to a command. An error has the type chatCmdError."""
        number = str(next(self.numbers))
        self.waiting[number] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"corrId": number, "cmd": command}))
        return await self.waiting[number]


async def address(core):
    """The link that people connect with."""
    response = await core.send("/show_address")
    if response["type"] == "userContactLink":
        link = response["contactLink"]["connLinkContact"]
    else:
        link = (await core.send("/address"))["connLinkContact"]
    await core.send("/auto_accept on")
    return link.get("connShortLink") or link["connFullLink"]


async def answer(core):
    """Sends back each message."""
    print("connect with:", await address(core), flush=True)
    while True:
        event = await core.events.get()
        if event["type"] == "contactConnected":
            print("connected:", event["contact"]["localDisplayName"], flush=True)
        for item in event.get("chatItems", []) if event["type"] == "newChatItems" else []:
            content = item["chatItem"]["content"]
            if content["type"] == "rcvMsgContent" and item["chatInfo"]["type"] == "direct":
                contact = item["chatInfo"]["contact"]["contactId"]
                await core.send(f"/_send @{contact} json " + json.dumps([{"msgContent": content["msgContent"], "mentions": {}}]))
                await core.send(f"/_read chat items @{contact} {item['chatItem']['meta']['itemId']}")


async def main(port):
    async with websockets.connect(f"ws://127.0.0.1:{port}/?unread=on", max_size=None) as socket:
        core = Core(socket)
        # The first of the two to end ends the bot: neither can go on without the other.
        tasks = [asyncio.create_task(core.read()), asyncio.create_task(answer(core))]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except websockets.ConnectionClosed:
            pass
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        sys.exit("simplex-chat has ended")


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "5225"))
    except ConnectionRefusedError as error:
        sys.exit(f"{error}: is simplex-chat running with -p?")
