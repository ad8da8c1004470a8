"""An example bot answers somebody. The example is a module in Python, or a compiled one for Node.

    echo_bot_scenario.py PROGRAM RELAY FOLDER EXAMPLE
"""

import asyncio
import importlib.util
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chat_program import ChatProgram  # noqa: E402


async def run(example, port):
    """Runs the example until it is cancelled."""
    if example.endswith(".py"):
        specification = importlib.util.spec_from_file_location("echo_bot", example)
        echo_bot = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(echo_bot)
        return await echo_bot.main(port)
    process = await asyncio.create_subprocess_exec("node", example, str(port))
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def main(program, relay, folder, example):
    echo, alice = ChatProgram(program, folder, "echo", relay), ChatProgram(program, folder, "alice", relay)
    for person in (echo, alice):
        await person.start()
    running = asyncio.create_task(run(example, echo.port))
    link = None
    while link is None:
        await asyncio.sleep(0.1)
        assert not running.done(), "the example has ended"
        response = await echo.send("/show_address")
        if response["type"] == "userContactLink" and response["contactLink"]["addressSettings"].get("autoAccept"):
            link = response["contactLink"]["connLinkContact"]["connShortLink"]
    await alice.do(f"/connect {link}", "sentInvitation", "sentConfirmation")
    contact = (await alice.event("contactConnected"))["contact"]["contactId"]
    for text in ["hello", "two\nlines", "\"quoted\""]:
        await alice.do(f"/_send @{contact} json " + '[{"msgContent":{"type":"text","text":' + json.dumps(text) + '},"mentions":{}}]')
        await alice.item(text)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    for person in (echo, alice):
        await person.stop()


asyncio.run(main(*sys.argv[1:]))
