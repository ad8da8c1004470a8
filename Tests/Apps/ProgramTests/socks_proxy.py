"""A SOCKS5 proxy on loopback that records what it is asked for. It connects to the targets that it is given, whatever
host is asked for, and refuses everything else."""

import asyncio
import socket


class SocksProxy:
    """`login` is what it demands: None for nothing, "any" for a name and a password, or a pair of both."""

    def __init__(self, targets, login=None, address="127.0.0.1"):
        self.targets, self.login, self.address = targets, login, address
        self.requests, self.logins = [], []

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._serve, self.address, 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    async def _serve(self, reader, writer):
        try:
            await self._negotiate(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    async def _negotiate(self, reader, writer):
        methods = await reader.readexactly((await reader.readexactly(2))[1])
        method = 0 if self.login is None else 2
        if method not in methods:
            writer.write(b"\5\xff")
            return
        writer.write(bytes([5, method]))
        if method == 2:
            await reader.readexactly(1)
            login = []
            for _ in range(2):
                login.append((await reader.readexactly((await reader.readexactly(1))[0])).decode())
            self.logins.append(tuple(login))
            # RFC 1929: both have at least one byte.
            accepted = all(login) and self.login in ("any", tuple(login))
            writer.write(b"\1\0" if accepted else b"\1\1")
            if not accepted:
                return
        kind = (await reader.readexactly(4))[3]
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = socket.inet_ntop(*((socket.AF_INET, await reader.readexactly(4)) if kind == 1 else
                                      (socket.AF_INET6, await reader.readexactly(16))))
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.requests.append((host, port))
        target = self.targets.get((host, port)) or self.targets.get(host)
        if target is None:
            writer.write(b"\5\5\0\1\0\0\0\0\0\0")
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target)
        writer.write(b"\5\0\0\1\0\0\0\0\0\0")
        await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))

    @staticmethod
    async def _copy(reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
