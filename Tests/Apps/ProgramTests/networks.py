"""Chat programs reach relays through SOCKS proxies, and follow the short links of the public network.

    networks.py PROGRAM LIBRARY RELAY FILE_RELAY PRESETS

LIBRARY is libsimplex, or empty. PRESETS are the addresses of relays that short links name by their host alone. Nothing
leaves the machine: what the programs connect to is decided by proxies of this script.
"""

import asyncio
import base64
import ctypes
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chat_program import ChatProgram, Failure  # noqa: E402
from socks_proxy import SocksProxy  # noqa: E402

KEY = base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")
LINK_ID = base64.urlsafe_b64encode(bytes(range(24))).decode()


def parts(address):
    """Fingerprint, host and port of an address on loopback."""
    return re.fullmatch(r"\w+://([^@]+)@([^:]+):(\d+)", address).groups()


def check(condition, what):
    if not condition:
        raise Failure(what)


class Networks:
    def __init__(self, program, library, relay, files, presets, folder):
        self.program, self.library, self.relay, self.files = program, library, relay, files
        self.presets, self.folder = presets.split(), folder

    async def start(self, name, options, server=None):
        core = ChatProgram(self.program, self.folder, name, server or self.relay, ["--no-preset-contacts", *options])
        await core.start()
        return core

    def targets(self):
        return {("127.0.0.1", int(parts(server)[2])): int(parts(server)[2]) for server in (self.relay, self.files)}

    async def every_form_of_a_proxy(self):
        """Relay and file relay are reached with each form, and the proxy sees the credentials that the form means."""
        forms = [
            (None, "{port}", None), (None, "127.0.0.1{port}", None), (None, "@127.0.0.1{port}", None),
            ("any", "{port}", "session"), ("any", "127.0.0.1{port}", "session"),
            (("me", "secret"), "me:secret@127.0.0.1{port}", ("me", "secret")),
            (("me", "p@ss:w"), "me:p@ss:w@127.0.0.1{port}", ("me", "p@ss:w")), (None, "[::1]{port}", None),
        ]
        for number, (login, form, shown) in enumerate(forms):
            address = "::1" if "[" in form else "127.0.0.1"
            async with SocksProxy(self.targets(), login, address) as proxy:
                text = form.replace("{port}", f":{proxy.port}")
                core = await self.start(f"form{number}", ["--socks-proxy", text])
                for server in (self.relay, self.files):
                    result = await core.do(f"/_server test 1 {server}", "serverTestResult")
                    check("testFailure" not in result, f"--socks-proxy {text}: {json.dumps(result)[:300]}")
                hosts = {host for host, _ in proxy.requests}
                ports = {port for _, port in proxy.requests}
                check(hosts == {"127.0.0.1"} and len(ports) == 2, f"{text}: {proxy.requests}")
                if shown == "session":
                    check(proxy.logins, f"{text}: the proxy saw no credentials")
                else:
                    check(set(proxy.logins) == ({shown} if shown else set()), f"{text}: {proxy.logins}")
                await core.stop()

    async def a_refusing_proxy(self):
        """Nothing is connected to without the proxy, and the error says that it refuses."""
        async with SocksProxy({}, ("me", "secret")) as proxy:
            core = await self.start("refused", ["--socks-proxy", f"me:wrong@127.0.0.1:{proxy.port}"])
            failure = (await core.do(f"/_server test 1 {self.relay}", "serverTestResult"))["testFailure"]
            check("proxy" in json.dumps(failure).lower(), json.dumps(failure))
            check(not proxy.requests and proxy.logins, f"{proxy.requests} {proxy.logins}")
            await core.stop()

    async def people_behind_a_proxy(self):
        """Contacts connect, and send a file; the profiles of a program have different credentials; /network turns the
        proxy off."""
        async with SocksProxy(self.targets(), "any") as proxy:
            options = ["--socks-proxy", f":{proxy.port}", "--xftp-server", self.files]
            alice, bob = await self.start("alice", options), await self.start("bob", options)
            contact = await self.connect(alice, bob)
            path = os.path.join(self.folder, "sent.bin")
            with open(path, "wb") as file:
                file.write(os.urandom(100_000))
            message = {"fileSource": {"filePath": path}, "msgContent": {"type": "file", "text": "here"}, "mentions": {}}
            await alice.do(f"/_send @{contact} json " + json.dumps([message]), "newChatItems")
            await bob.event("newChatItems", lambda event: "sent.bin" in json.dumps(event))
            await bob.event("rcvFileDescrReady")
            received = os.path.join(self.folder, "received.bin")
            await bob.do(f"/freceive 1 approved_relays=on {received}", "rcvFileAccepted")
            await bob.event("rcvFileComplete")
            check(open(received, "rb").read() == open(path, "rb").read(), "another file")
            logins = set(proxy.logins)
            await alice.do('/_create user {"profile":{"displayName":"other","fullName":""},"pastTimestamp":false}')
            await alice.do("/_connect 2 incognito=off", "invitation")
            check(set(proxy.logins) - logins, "another profile has the same credentials")
            check(all(host == "127.0.0.1" for host, _ in proxy.requests), f"{proxy.requests}")
            before = len(proxy.requests)
            await alice.do("/network socks=off")
            result = await alice.do(f"/_server test 2 {self.relay}", "serverTestResult")
            check("testFailure" not in result, json.dumps(result)[:300])
            check(len(proxy.requests) == before, "the proxy is used though it is off")
            await alice.stop()
            await bob.stop()

    async def connect(self, alice, bob, link=None):
        if link is None:
            invitation = await alice.do("/_connect 1 incognito=off", "invitation")
            link = invitation["connLinkInvitation"]["connFullLink"]
        await bob.do(f"/connect {link}")
        contact = (await alice.event("contactConnected"))["contact"]["contactId"]
        await bob.event("contactConnected")
        return contact

    async def links_of_a_preset_relay(self):
        """A relay whose host is one of the public network: its links are short, and both spellings are followed. The
        list of fingerprints is the only thing that is set for the test."""
        fingerprint, _, port = parts(self.relay)
        server = f"smp://{fingerprint}@smp8.simplex.im"
        async with SocksProxy({"smp8.simplex.im": int(port)}, "any") as proxy:
            options = ["--socks-proxy", f":{proxy.port}", "--short-link-servers", server]
            alice = await self.start("address", options, server)
            link = (await alice.do("/_address 1", "userContactLinkCreated"))["connLinkContact"]["connShortLink"]
            await alice.do('/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}')
            found = re.fullmatch(r"https://smp8\.simplex\.im/a#([\w-]+)", link)
            check(found, f"not as short as it can be: {link}")
            for name, spelling in ("first", link), ("second", f"simplex:/a#{found[1]}?h=smp8.simplex.im"):
                other = await self.start(name, options, server)
                plan = await other.do(f"/_connect plan 1 {spelling}", "connectionPlan")
                check(plan["connectionPlan"]["type"] == "contactAddress", json.dumps(plan)[:300])
                await self.connect(alice, other, spelling)
                await other.stop()
            invitation = (await alice.do("/_connect 1 incognito=off", "invitation"))["connLinkInvitation"]
            check(re.fullmatch(r"https://smp8\.simplex\.im/i#[\w-]+/[\w-]+", invitation["connShortLink"]), invitation)
            other = await self.start("third", options, server)
            await self.connect(alice, other, invitation["connShortLink"])
            await other.stop()
            await alice.stop()

    async def links_of_the_public_network(self):
        """With default settings, a link that names a relay of the public network by its host alone leads to that
        relay: the proxy, which refuses, is asked for its host or its onion service."""
        hosts = {re.sub(r".*@", "", address).split(",")[0]: re.sub(r".*@", "", address).split(",") for address in self.presets}
        check(len(hosts) > 20, f"{len(hosts)} presets")
        async with SocksProxy({}, "any") as proxy:
            core = await self.start("plans", ["--socks-proxy", f":{proxy.port}"])
            links = [(host, f"https://{host}/a#{KEY}") for host in hosts]
            first = next(iter(hosts))
            for letter in ("a", "g", "c"):
                links += [(first, f"https://{first}/{letter}#{KEY}"), (first, f"simplex:/{letter}#{KEY}?h={first}")]
            # Nobody connects by the address of a chat relay: channels name the links that relays make for them.
            answer = await core.send(f"/_connect plan 1 https://{first}/r#{KEY}")
            check("chat relay links are not supported in this version" in json.dumps(answer), json.dumps(answer)[:300])
            links += [(first, f"https://{first}/i#{LINK_ID}/{KEY}"), (first, f"simplex:/i#{LINK_ID}/{KEY}?h={first}")]
            for host, link in links:
                proxy.requests.clear()
                answer = await core.send(f"/_connect plan 1 {link}")
                check(answer["type"] == "chatCmdError", json.dumps(answer)[:300])
                check(self.asked(proxy) and self.asked(proxy) <= set(hosts[host]), f"{link}: {answer} {proxy.requests}")
            await core.stop()
            if self.library:
                proxy.requests.clear()
                answer = await asyncio.to_thread(self.plan_with_library, proxy.port, links[0][1])
                check(self.asked(proxy) and self.asked(proxy) <= set(hosts[links[0][0]]), f"{answer}: {proxy.requests}")

    @staticmethod
    def asked(proxy):
        """The hosts that the proxy was asked for, besides the own relay, which could forward the request."""
        return {host for host, _ in proxy.requests} - {"127.0.0.1"}

    async def relays_with_an_ipv6_address(self):
        """Relays that `init --ip ::1` made: the addresses that they print are used as they are."""
        relay, address = await self.server("smp-server", ["-y", "--no-password", "--ip", "::1", "--port", "0"])
        files, file_address = await self.server(
            "xftp-server", ["-p", self.folder, "-q", "1gb", "--ip", "::1", "--port", "0"])
        try:
            check(re.search(r"@\[::1\]:\d+$", address) and re.search(r"@\[::1\]:\d+$", file_address),
                  f"{address} {file_address}")
            options = ["--xftp-server", file_address]
            alice, bob = await self.start("six", options, address), await self.start("seven", options, address)
            result = await alice.do(f"/_server test 1 {file_address}", "serverTestResult")
            check("testFailure" not in result, json.dumps(result)[:300])
            contact = await self.connect(alice, bob)
            link = (await alice.do("/_address 1", "userContactLinkCreated"))["connLinkContact"]["connShortLink"]
            check(link.startswith("https://[::1]/a#"), link)
            plan = await bob.do(f"/_connect plan 1 {link}", "connectionPlan")
            check(plan["connectionPlan"]["type"] == "contactAddress", json.dumps(plan)[:300])
            # What the database has is read again.
            await alice.stop()
            alice = await self.start("six", options, address)
            message = [{"msgContent": {"type": "text", "text": "still here"}, "mentions": {}}]
            await alice.do(f"/_send @{contact} json " + json.dumps(message), "newChatItems")
            await bob.item("still here")
            await alice.stop()
            await bob.stop()
        finally:
            for process in relay, files:
                process.kill()

    async def relays_with_a_name(self):
        """Relays that `init --fqdn NAME` made, as the official images do, listen on all addresses."""
        for program, arguments in (
            ("smp-server", ["--yes", "--store-log", "--daily-stats", "--source-code", "--fqdn=relay.example"]),
            ("xftp-server", ["-l", "-p", self.folder, "-q", "1gb", "--fqdn=relay.example"]),
        ):
            process, address = await self.server(program, [*arguments, "--port", "0"])
            try:
                port = re.fullmatch(r".*@relay\.example:(\d+)", address)
                check(port, address)
                # Only who listens on all addresses is found at this one.
                _, writer = await asyncio.open_connection("127.0.0.2", int(port[1]))
                writer.close()
            finally:
                process.kill()
        text = open(os.path.join(self.folder, "smp-server.config", "smp-server.ini")).read()
        check("\nprivate_addresses = on" not in text, "it forwards to private addresses")

    async def server(self, program, arguments):
        """A new relay that runs, and the address that it prints."""
        folders = [os.path.join(self.folder, f"{program}.{name}") for name in ("config", "data")]
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        variable = program.split("-")[0].upper() + "_SERVER_"
        environment = {**os.environ, variable + "CFG_PATH": folders[0], variable + "LOG_PATH": folders[1]}
        path = os.path.join(os.path.dirname(self.program), program)
        made = await asyncio.create_subprocess_exec(
            path, "init", *arguments, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        output = (await made.communicate())[0].decode()
        check(made.returncode == 0, output)
        process = await asyncio.create_subprocess_exec(path, "start", env=environment, stdout=asyncio.subprocess.PIPE)
        address = None
        while "Listening on" not in (line := (await process.stdout.readline()).decode()):
            check(line, f"{program} ended")
            if found := re.search(r"Server address: (\S+)", line):
                address = found[1]
        return process, address

    def plan_with_library(self, port, link):
        library = ctypes.CDLL(self.library)
        library.chat_migrate_init.restype = library.chat_send_cmd.restype = ctypes.c_char_p
        controller = ctypes.c_void_p()
        prefix = os.path.join(self.folder, "library").encode()
        library.chat_migrate_init(prefix, b"", b"yesUp", ctypes.byref(controller))
        answer = b""
        for command in ("/create user alice", "/_start", f"/network socks=:{port}", f"/_connect plan 1 {link}", "/_stop"):
            last, answer = answer, library.chat_send_cmd(controller, command.encode())
        library.chat_close_store(controller)
        return last


async def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        networks = Networks(*arguments, folder)
        failures = 0
        for step in (networks.every_form_of_a_proxy, networks.a_refusing_proxy, networks.people_behind_a_proxy,
                     networks.links_of_a_preset_relay, networks.links_of_the_public_network,
                     networks.relays_with_an_ipv6_address, networks.relays_with_a_name):
            try:
                await step()
                print("ok     ", step.__name__, flush=True)
            except Exception as error:
                failures += 1
                print("FAILED ", step.__name__, repr(error) if not isinstance(error, Failure) else error, flush=True)
        return 1 if failures else 0


sys.exit(asyncio.run(main(sys.argv[1:])))
