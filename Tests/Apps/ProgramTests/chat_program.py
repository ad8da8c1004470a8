"""A chat program under test, driven by its WebSocket API: ours, or any other that has the same command line."""

import asyncio
import json
import os
import socket
import subprocess

import websockets

LIMIT = 30  # seconds that an answer or event may take


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Failure(Exception):
    """A step did not do what it should."""


class ChatProgram:
    """One profile: a running program, the connection to it, and the events it sent that no step has taken yet."""

    def __init__(self, program, folder, name, server, options=()):
        self.program, self.name = program, name
        self.database = os.path.join(folder, name)
        self.log = open(os.path.join(folder, name + ".log"), "ab")
        self.options = ["-d", self.database, "-s", server, "-y", *options]
        self.answers, self.events = {}, []
        self.arrived = asyncio.Condition()
        self.number = 0

    async def start(self):
        self.port = port = free_port()
        command = [*self.program.split(), *self.options, "-p", str(port)]
        # Some programs take the name of a new profile as an option, others ask for it.
        usage = subprocess.run([*self.program.split(), "--help"], capture_output=True, text=True).stdout
        if "--display-name" in usage.split() or "--display-name " in usage:
            command += ["--display-name", self.name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log)
        try:
            self.process.stdin.write(f"{self.name}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        for _ in range(LIMIT * 10):
            try:
                self.socket = await websockets.connect(f"ws://127.0.0.1:{port}", max_size=None)
                break
            except OSError:
                if self.process.poll() is not None:
                    raise Failure(f"{self.name} ended with {self.process.returncode}: {self.log.name}")
                await asyncio.sleep(0.1)
        else:
            raise Failure(f"{self.name} does not listen")
        self.reader = asyncio.create_task(self._read())

    async def stop(self, gently=True):
        self.reader.cancel()
        await self.socket.close()
        if gently:
            self.process.terminate()
        else:
            self.process.kill()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    async def _read(self):
        async for text in self.socket:
            message = json.loads(text)
            self.log.write(text.encode() + b"\n")
            self.log.flush()
            async with self.arrived:
                if message.get("corrId"):
                    self.answers[message["corrId"]] = message["resp"]
                else:
                    self.events.append(message["resp"])
                self.arrived.notify_all()

    async def send(self, command, limit=LIMIT):
        """The response to a command, which may be an error."""
        self.number += 1
        number = str(self.number)
        self.log.write(f"> {command[:2000]}\n".encode())
        await self.socket.send(json.dumps({"corrId": number, "cmd": command}))
        async with self.arrived:
            try:
                await asyncio.wait_for(self.arrived.wait_for(lambda: number in self.answers), limit)
            except TimeoutError:
                raise Failure(f"{self.name} does not answer {command[:200]}") from None
            return self.answers.pop(number)

    async def do(self, command, *types, limit=LIMIT):
        """The response to a command; it must have one of these types, where some are given."""
        response = await self.send(command, limit)
        kind = response["type"]
        if kind in ("chatCmdError", "chatError") and kind not in types or types and kind not in types:
            raise Failure(f"{self.name}: {command[:200]} -> {json.dumps(response)[:600]}")
        return response

    async def event(self, kind, where=lambda event: True, limit=LIMIT):
        """The next event of this type for which the condition holds; it is taken."""

        def find():
            for index, event in enumerate(self.events):
                if event["type"] == kind and where(event):
                    return index
            return None

        async with self.arrived:
            try:
                await asyncio.wait_for(self.arrived.wait_for(lambda: find() is not None), limit)
            except TimeoutError:
                seen = [event["type"] for event in self.events]
                raise Failure(f"{self.name} does not see {kind}; saw {sorted(set(seen))}") from None
            return self.events.pop(find())

    async def item(self, text, limit=LIMIT):
        """The received chat item with this text."""

        def found(event):
            return any(self.text(item) == text and self.is_received(item) for item in event["chatItems"])

        event = await self.event("newChatItems", found, limit)
        return next(item["chatItem"] for item in event["chatItems"] if self.text(item) == text)

    @staticmethod
    def text(item):
        content = item["chatItem"]["content"].get("msgContent") or {}
        return content.get("text", item["chatItem"]["meta"]["itemText"])

    @staticmethod
    def is_received(item):
        return item["chatItem"]["chatDir"]["type"].endswith("Rcv")

    def errors(self):
        """Errors that came as events."""
        return [event for event in self.events if event["type"] in ("chatError", "chatErrors", "messageError")]
