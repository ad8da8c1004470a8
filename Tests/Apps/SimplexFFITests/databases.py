# Databases that cannot be opened, another process, and the other spelling of sums. Each is a call as programs make it.
#   databases.py LIBSIMPLEX FOLDER
#   databases.py LIBSIMPLEX open PREFIX     opens, says how that went, and closes when its input ends
#   databases.py LIBSIMPLEX owsf PREFIX     uses the library after asking for the spelling of iOS
import ctypes
import json
import os
import sqlite3
import subprocess
import sys

path = sys.argv[1]
lib = ctypes.CDLL(path)
libc = ctypes.CDLL(None)
for name in ["migrate_init", "migrate_init_key", "close_store", "reopen_store", "send_cmd", "recv_msg_wait"]:
    getattr(lib, "chat_" + name).restype = ctypes.c_void_p


def call(name, *arguments):
    pointer = getattr(lib, "chat_" + name)(*arguments)
    assert pointer, name
    text = ctypes.string_at(pointer).decode()
    libc.free(ctypes.c_void_p(pointer))
    return text


def init(prefix, key="", confirm="yesUp", keep=0):
    controller = ctypes.c_void_p()
    arguments = [prefix.encode(), key.encode(), keep, confirm.encode(), 0, ctypes.byref(controller)]
    result = json.loads(call("migrate_init_key", *arguments))
    assert bool(controller.value) == ("ok" in [result.get("type"), result.get("tag")] or "ok" in result), result
    return result, controller


def send(controller, command):
    return json.loads(call("send_cmd", controller, command.encode()))


def expect(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def options(*texts):
    arguments = (ctypes.c_char_p * (len(texts) + 2))(b"program", *[text.encode() for text in texts], None)
    count = ctypes.c_int(len(texts) + 1)
    pointer = ctypes.cast(arguments, ctypes.POINTER(ctypes.c_char_p))
    lib.hs_init_with_rtsopts(ctypes.byref(count), ctypes.byref(pointer))


def another(*arguments):
    return subprocess.Popen(
        [sys.executable, __file__, path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def fingerprint(file, other=None):
    """What says with which schema a database was made; it is changed if another one is given."""
    database = sqlite3.connect(file)
    found = database.execute("SELECT fingerprint FROM schema_fingerprint").fetchone()[0]
    if other is not None:
        database.execute("UPDATE schema_fingerprint SET fingerprint = ?", [other])
        database.commit()
    database.close()
    return found


def schema(file, version=None):
    """The version of the schema of a database, which is changed if one is given."""
    database = sqlite3.connect(file)
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if version is not None:
        database.execute(f"PRAGMA user_version = {version}")
        database.commit()
    database.close()
    return found


def open_and_wait(prefix):
    result, controller = init(prefix)
    print(json.dumps(result), flush=True)
    sys.stdin.read()
    if controller.value:
        expect(call("close_store", controller), "")


def owsf(prefix):
    tagged, _ = init(prefix + "1")
    options("+RTS", "-A64m", "-xn", "--install-signal-handlers=no", "--owsf")
    before, controller = init(prefix + "2")
    expect(tagged, {"type": "ok"})
    expect(before, {"ok": {}, "_owsf": True} if "ok" in before else before)
    created = send(controller, "/create user alice")
    assert created["result"]["_owsf"] is True and "activeUser" in created["result"], created
    failed = send(controller, "/create user alice")
    assert failed["error"]["_owsf"] is True, failed
    options("--tagged")
    # A controller keeps the spelling that it was made with.
    assert "activeUser" in send(controller, "/u")["result"]
    later, third = init(prefix + "3")
    expect(later, {"type": "ok"})
    expect(send(third, "/create user bob")["result"]["type"], "activeUser")
    expect(call("close_store", controller) + call("close_store", third), "")


def refused(folder):
    prefix = os.path.join(folder, "alice")
    result, controller = init(prefix, keep=1)
    expect(result, {"type": "ok"})
    send(controller, "/create user alice")
    send(controller, "/_start")

    # Another controller of this process while the chat is started, and of another one
    again, _ = init(prefix)
    expect(again["type"], "errorSQL")
    assert "another" in again["migrationSQLError"], again
    other = another("open", prefix)
    line = json.loads(other.stdout.readline())
    expect(line["type"], "errorSQL")
    assert "another" in line["migrationSQLError"], line
    other.communicate("")
    expect(other.returncode, 0)

    # Closed, it is free for others, and only then
    expect(call("close_store", controller), "")
    expect(call("close_store", controller), "")
    assert "error" in send(controller, "/users")
    other = another("open", prefix)
    expect(json.loads(other.stdout.readline()), {"type": "ok"})
    assert call("reopen_store", controller) != "", "another process has the databases"
    other.communicate("")
    expect(other.returncode, 0)
    expect(call("reopen_store", controller), "")
    expect(send(controller, "/u")["result"]["user"]["localDisplayName"], "alice")
    expect(call("close_store", controller), "")

    # Made by a newer program
    for part in ["chat", "agent"]:
        file = f"{prefix}_{part}.db"
        version = schema(file)
        schema(file, 2_147_483_647)
        for confirm in ["yesUp", "yesUpDown", "error", "console"]:
            newer, _ = init(prefix, confirm=confirm)
            assert newer["type"] == "errorMigration" and newer["dbFile"] == file, newer
            assert len(newer["migrationError"]["mtrError"]["dbMigrations"]) == 100
        expect(schema(file), 2_147_483_647)
        schema(file, version)

    # Made by an earlier build of the program, with another schema
    for part in ["chat", "agent"]:
        file = f"{prefix}_{part}.db"
        made = fingerprint(file)
        for confirm in ["yesUp", "error"]:
            fingerprint(file, "another")
            earlier, _ = init(prefix, confirm=confirm)
            assert earlier["type"] == "errorSQL" and earlier["dbFile"] == file, earlier
            assert "earlier build of this program" in earlier["migrationSQLError"], earlier
        fingerprint(file, made)
    result, controller = init(prefix)
    expect(result, {"type": "ok"})
    expect(call("close_store", controller), "")

    # Damaged in several ways
    for part in ["chat", "agent"]:
        file = f"{prefix}_{part}.db"
        with open(file, "rb") as original:
            content = original.read()
        damages = {
            "garbage": os.urandom(len(content)), "no header": b"\0" * 100 + content[100:], "short": content[: 4096 + 7],
            "text": b"This is no database.\n" * 100, "zeros": content[:100] + bytes(len(content) - 100),
        }
        for name, damaged in damages.items():
            with open(file, "wb") as target:
                target.write(damaged)
            result, controller = init(prefix)
            if result["type"] == "ok":
                # Found out later: then commands say it.
                answer = send(controller, "/users")
                assert "error" in answer or "result" in answer, (name, answer)
                call("close_store", controller)
            else:
                assert result["type"] in ["errorNotADatabase", "errorSQL", "errorMigration"], (name, result)
            with open(file, "wb") as target:
                target.write(content)
            for suffix in ["-wal", "-shm"]:
                if os.path.exists(file + suffix):
                    os.remove(file + suffix)
        os.rename(file, file + ".away")
        os.mkdir(file)
        expect(init(prefix)[0]["type"], "errorSQL")
        os.rmdir(file)
        os.rename(file + ".away", file)
    result, controller = init(prefix)
    expect(result, {"type": "ok"})
    expect(send(controller, "/u")["result"]["user"]["localDisplayName"], "alice")
    expect(call("close_store", controller), "")

    # Without the key the store stays closed
    result, controller = init(os.path.join(folder, "bob"), key="secret", keep=0)
    expect(result, {"type": "ok"})
    expect(call("close_store", controller), "")
    assert call("reopen_store", controller) != "", "reopened without the key"
    assert "error" in send(controller, "/users")
    assert "error" in json.loads(call("recv_msg_wait", controller, 1000) or '{"error":""}')

    spelling = another("owsf", os.path.join(folder, "cath"))
    spelling.communicate("")
    expect(spelling.returncode, 0)


if sys.argv[2] == "open":
    open_and_wait(sys.argv[3])
elif sys.argv[2] == "owsf":
    owsf(sys.argv[3])
else:
    refused(sys.argv[2])
