# Loads the library as any program does and uses every function, also wrongly.
#   library.py LIBSIMPLEX FOLDER
import ctypes
import json
import os
import sys
import threading

path, folder = sys.argv[1:]


def memory():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


before = memory()
lib = ctypes.CDLL(path)
libc = ctypes.CDLL(None)
texts = """migrate_init migrate_init_key close_store reopen_store send_cmd send_cmd_retry send_remote_cmd
send_remote_cmd_retry recv_msg recv_msg_wait parse_markdown parse_server parse_uri password_hash valid_name encrypt_media
decrypt_media write_file encrypt_file decrypt_file badge_keygen badge_issue""".split()
for name in texts + ["read_file"]:
    getattr(lib, "chat_" + name).restype = ctypes.c_void_p


def call(name, *arguments):
    pointer = getattr(lib, "chat_" + name)(*arguments)
    assert pointer, name
    text = ctypes.string_at(pointer).decode()
    libc.free(ctypes.c_void_p(pointer))
    return text


def init(prefix, key=b"", confirm=b"yesUp", keep=0):
    controller = ctypes.c_void_p()
    result = call("migrate_init_key", prefix, key, keep, confirm, 0, ctypes.byref(controller))
    return json.loads(result), controller


def send(controller, command):
    return json.loads(call("send_cmd", controller, command.encode()))


def expect(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


prefix = os.path.join(folder, "alice").encode()

# Controllers
result, controller = init(prefix)
expect(result, {"type": "ok"})
assert controller.value
expect(send(controller, "/u")["error"], {"type": "error", "errorType": {"type": "noActiveUser"}})
created = send(controller, "/create user alice Alice")
expect(created["result"]["type"], "activeUser")
expect(created["result"]["user"]["localDisplayName"], "alice")
expect(send(controller, "/_start")["result"]["type"], "chatStarted")
expect(send(controller, "/_start")["result"]["type"], "chatRunning")
expect(send(controller, "no command")["error"]["errorType"]["type"], "commandError")
while call("recv_msg_wait", controller, 200_000):
    pass

# A second one in the same process, with databases of its own that are encrypted
result, other = init(os.path.join(folder, "bob").encode(), b"secret", keep=1)
expect(result, {"type": "ok"})
assert other.value != controller.value
expect(send(other, "/create user bob")["result"]["user"]["localDisplayName"], "bob")
expect(send(controller, "/u")["result"]["user"]["localDisplayName"], "alice")
expect(call("close_store", other), "")
assert "error" in send(other, "/users")
expect(call("reopen_store", other), "")
expect(send(other, "/u")["result"]["user"]["localDisplayName"], "bob")
expect(call("close_store", other), "")
expect(init(os.path.join(folder, "bob").encode(), b"wrong")[0]["type"], "errorNotADatabase")
expect(init(os.path.join(folder, "bob").encode(), b"")[0]["type"], "errorNotADatabase")
expect(init(os.path.join(folder, "bob").encode(), b"secret")[0], {"type": "ok"})

# Commands and waiting for events at the same time
threads = [threading.Thread(target=lambda: call("recv_msg_wait", controller, 300_000)) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(50):
    expect(send(controller, "/users")["result"]["type"], "usersList")
for thread in threads:
    thread.join()

# Misuse
expect(init(prefix, confirm=b"perhaps")[0], {"type": "invalidConfirmation"})
expect(json.loads(call("migrate_init", None, b"", b"yesUp", ctypes.byref(ctypes.c_void_p())))["type"], "errorSQL")
expect(json.loads(call("migrate_init", prefix, b"", b"yesUp", None))["type"], "errorSQL")
expect(init(os.path.join(folder, "no", "such", "folder").encode())[0]["type"], "errorSQL")
for pointer in [None, ctypes.c_void_p(1), ctypes.c_void_p(0x51000008), ctypes.c_void_p(controller.value + 0x1000)]:
    for name, arguments in [
        ("send_cmd", [b"/u"]), ("send_cmd_retry", [b"/u", 1]), ("send_remote_cmd", [1, b"/u"]), ("recv_msg", []),
        ("recv_msg_wait", [1000]),
    ]:
        expect(json.loads(call(name, pointer, *arguments))["error"]["errorType"]["type"], "exception")
    assert call("close_store", pointer) and call("reopen_store", pointer)
expect(json.loads(call("send_cmd", controller, None))["error"]["errorType"]["type"], "exception")
remote = json.loads(call("send_remote_cmd", controller, 7, b"/u"))
expect(remote["remoteHostId"], 7)
expect(remote["error"]["type"], "errorRemoteHost")

# Media, with the pointer of a controller
key = b"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
frame = ctypes.create_string_buffer(b"media" + bytes(28), 33)
expect(call("encrypt_media", controller, key, frame, 33), "")
expect(call("decrypt_media", key, frame, 33), "")
expect(frame.raw, b"media" + bytes(28))

# Files
file = os.path.join(folder, "file").encode()
arguments = json.loads(call("write_file", controller, file, b"content", 7))["cryptoArgs"]
file_key, file_nonce = arguments["fileKey"].encode(), arguments["fileNonce"].encode()
buffer = lib.chat_read_file(file, file_key, file_nonce)
expect(ctypes.string_at(buffer, 12), b"\0" + (7).to_bytes(4, sys.byteorder) + b"content")
libc.free(ctypes.c_void_p(buffer))

used = memory() - before

# A session of remote control: the first controller is the desktop, another one the phone
result, phone = init(os.path.join(folder, "phone").encode())
expect(result, {"type": "ok"})
expect(send(phone, "/create user phone")["result"]["type"], "activeUser")
expect(send(phone, "/_start")["result"]["type"], "chatStarted")


def event(controller, kind):
    for _ in range(100):
        text = call("recv_msg_wait", controller, 1_000_000)
        if text and json.loads(text).get("result", {}).get("type") == kind:
            return json.loads(text)
    raise AssertionError(f"no {kind}")


started = send(controller, "/start remote host new addr=127.0.0.1 iface=lo")["result"]
expect(send(phone, "/connect remote ctrl " + started["invitation"])["result"]["type"], "remoteCtrlConnecting")
code = event(phone, "remoteCtrlSessionCode")["result"]["sessionCode"]
expect(event(controller, "remoteHostSessionCode")["result"]["sessionCode"], code)
expect(send(phone, "/verify remote ctrl " + code)["result"]["type"], "remoteCtrlConnected")
host = event(controller, "remoteHostConnected")["result"]["remoteHost"]["remoteHostId"]
for name, retry in [("send_remote_cmd", []), ("send_remote_cmd_retry", [1])]:
    remote = json.loads(call(name, controller, host, b"/u", *retry))
    expect(remote["remoteHostId"], host)
    expect(remote["result"]["user"]["localDisplayName"], "phone")
    expect(json.loads(call(name, controller, host, b"/_stop", *retry))["error"]["remoteHostError"]["type"], "localCommand")
    expect(json.loads(call(name, controller, host, None, *retry))["error"]["errorType"]["type"], "exception")
# The profile of the desktop is another one
expect(send(controller, "/u")["result"]["user"]["localDisplayName"], "alice")
expect(json.loads(call("send_remote_cmd", controller, host, b"/_get app settings"))["result"]["type"], "appSettings")
expect(send(phone, "/stop remote ctrl")["result"]["type"], "cmdOk")
expect(event(controller, "remoteHostStopped")["result"]["rhStopReason"]["type"], "disconnected")
expect(json.loads(call("send_remote_cmd", controller, host, b"/u"))["error"]["remoteHostError"]["type"], "missing")
expect(call("close_store", phone), "")

expect(call("close_store", controller), "")
print(json.dumps({"memory": used}))
