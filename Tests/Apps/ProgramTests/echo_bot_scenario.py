"""An example bot answers somebody. The example is a module in Python, or a compiled one for Node.

    echo_bot_scenario.py PROGRAM RELAY FOLDER EXAMPLE
"""

import asyncio
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chat_program import LIMIT, ChatProgram  # noqa: E402


class Example:
    """The running example, as people run it."""

    async def start(self, example, port):
        interpreter = sys.executable if example.endswith(".py") else "node"
        self.process = await asyncio.create_subprocess_exec(
            interpreter, example, str(port), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        line = await asyncio.wait_for(self.process.stdout.readline(), LIMIT)
        assert line.startswith(b"connect with: http"), (line, await self.end())
        return line.decode().split()[-1]

    async def end(self):
        """Waits until it ends by itself; returns its status and its errors."""
        _, errors = await asyncio.wait_for(self.process.communicate(), LIMIT)
        return self.process.returncode, errors.decode()

    def kill(self):
        if self.process.returncode is None:
            self.process.kill()


async def main(program, relay, folder, example):
    echo, alice = ChatProgram(program, folder, "echo", relay), ChatProgram(program, folder, "alice", relay)
    for person in (echo, alice):
        await person.start()
    bot = Example()
    try:
        link = await bot.start(example, echo.port)
        await alice.do(f"/connect {link}", "sentInvitation", "sentConfirmation")
        contact = (await alice.event("contactConnected"))["contact"]["contactId"]

        async def say(text):
            message = json.dumps([{"msgContent": {"type": "text", "text": text}, "mentions": {}}])
            await alice.do(f"/_send @{contact} json {message}")

        for text in ["hello", "two\nlines", "\"quoted\""]:
            await say(text)
            await alice.item(text)
        # Without the core the bot ends with an error, and does not wait for ever.
        for gently in (True, False):
            await echo.stop(gently)
            status, errors = await bot.end()
            assert status == 1 and "simplex-chat has ended" in errors, (gently, status, errors)
            if gently:
                # What the core receives while the bot is away is answered by the next start of the bot, also if the
                # core was killed meanwhile.
                await echo.start()
                await say("while you were away")
                await echo.item("while you were away")
                await echo.stop(gently=False)
                await echo.start()
                assert await bot.start(example, echo.port) == link
                await alice.item("while you were away")
    finally:
        bot.kill()
        for person in (echo, alice):
            await person.stop()


asyncio.run(main(*sys.argv[1:]))
