"""A bot over the WebSocket API that takes no calls: it has an address, accepts everybody, declines each call and writes
why, because a caller is not told that a call was declined. Calls that rang while the bot was away are declined when it
connects.

    simplex-chat -d ./bot --create-bot-display-name Desk -p 5225      # the chat core
    pip install websockets && python3 call_bot.py [PORT]              # the bot
"""

import asyncio
import json
import sys

import websockets
from echo_bot import Core, address

ANSWER = "I cannot take calls. Please write."


async def decline(core, contact):
    """Ends a call that rings, and writes to the caller."""
    print("declined a call of:", contact["localDisplayName"], flush=True)
    number = contact["contactId"]
    await core.send(f"/_call reject @{number}")
    message = [{"msgContent": {"type": "text", "text": ANSWER}, "mentions": {}}]
    await core.send(f"/_send @{number} json {json.dumps(message)}")


async def answer(core):
    """Declines each call."""
    print("connect with:", await address(core), flush=True)
    for invitation in (await core.send("/_call get"))["callInvitations"]:
        await decline(core, invitation["contact"])
    while True:
        event = await core.events.get()
        if event["type"] == "callInvitation":
            await decline(core, event["callInvitation"]["contact"])


async def main(port):
    async with websockets.connect(f"ws://127.0.0.1:{port}/", max_size=None) as socket:
        core = Core(socket)
        # The first of the two to end ends the bot: neither can go on without the other.
        tasks = [asyncio.create_task(core.read()), asyncio.create_task(answer(core))]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for task in done:
            task.result()
        sys.exit("simplex-chat has ended")


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "5225"))
    except ConnectionRefusedError as error:
        sys.exit(f"{error}: is simplex-chat running with -p?")
