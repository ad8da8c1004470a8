# A bot that speaks to the WebSocket API through an independent implementation of the protocol.
#   websocket.py PORT
import asyncio
import json
import sys

import websockets


async def main():
    address = f"ws://127.0.0.1:{sys.argv[1]}"
    async with websockets.connect(address) as one, websockets.connect(address) as two:

        async def answer(connection, request):
            await connection.send(request if isinstance(request, str) else json.dumps(request))
            return json.loads(await asyncio.wait_for(connection.recv(), 10))

        created = await answer(one, {"corrId": "1", "cmd": "/create user alice"})
        assert list(created) == ["corrId", "resp"] and created["corrId"] == "1", created
        assert created["resp"]["type"] == "activeUser", created
        again = await answer(two, {"corrId": "any text", "cmd": "/u"})
        assert again["corrId"] == "any text" and again["resp"]["type"] == "activeUser", again

        failed = await answer(one, {"corrId": "2", "cmd": "/create user alice"})
        assert failed["resp"]["type"] == "chatCmdError", failed
        assert failed["resp"]["chatError"]["type"] in ["error", "errorStore"], failed
        unknown = await answer(one, {"corrId": "3", "cmd": "/no such command"})
        assert unknown["resp"]["chatError"]["errorType"]["type"] == "commandError", unknown
        for request, number, reason in [
            ("no json", None, "the text is not JSON"), ("[]", None, "not a JSON object"), ("{}", None, "corrId is missing"),
            ('{"corrId":"4"}', "4", "cmd is missing"), ('{"corrId":4,"cmd":"/u"}', None, "corrId is not a string"),
            ('{"corrId":"5","cmd":6}', "5", "cmd is not a string"),
        ]:
            invalid = await answer(one, request)
            assert invalid.get("corrId") == number, invalid
            error = {"type": "error", "errorType": {"type": "commandError", "message": "invalid request: " + reason}}
            assert invalid["resp"] == {"type": "chatCmdError", "chatError": error}, invalid
        large = await answer(one, {"corrId": "x" * 1_000_000, "cmd": "/u"})
        assert len(large["corrId"]) == 1_000_000


asyncio.run(main())
