#!/usr/bin/env python3
"""Prints what an hspec suite with an external test client prints; stands in for the reference's in tests of a script."""
import os, sys

suite = sys.argv[sys.argv.index("--match") + 1].strip("/").split("/")[1]
client, mode, who = (os.environ.get("EXTERNAL_" + n, "") for n in ("CLIENT", "MODE", "WHO"))
assert os.path.isdir("tests") and bool(client) == bool(mode)

# Name, and the lines of its failure where the client has it.
tests = {
    "messages": {
        "add contact and send/receive messages/current": None,
        "group (small)": ['expected: "group #team is created"', ' but got: "bad chat command: not implemented yet: newGroup"'],
        "file": ["uncaught exception: ErrorCall", "invalid time: error: unsupported message: x.msg.file.descr @ tests/D.hs:1"],
        "store": ["uncaught exception: ErrorCall", "external client: needs the store", "CallStack (from HasCallStack):"],
        "receipt": ["uncaught exception: ErrorCall", 'alice: no output for 5 seconds, expected: "⩗ @bob 12:03 hi"'],
        "case": ['expected: "Contact is connected."', ' but got: "contact is connected"'],
        "time": ['expected: "bob> 12:01 hi"', ' but got: "bob> 12:59 hello"'],
        "extra": ["expected: Nothing", ' but got: Just "and more"'],
        "own": ["expected: True", " but got: False"],
    },
    "others": {"flaky": ["expected: 1", " but got: 2"]},
}
failures = []
print("\nSimpleX chat client\n  " + suite)
for group, members in tests.items():
    print("    " + group)
    for name, lines in members.items():
        if "/" in name:
            outer, name = name.rsplit("/", 1)
            print(f"      {outer}")
            print(f"        {name} [✔]")
            continue
        fails = lines and (client or name == "flaky") and not (who == "bob" and name == "case")
        # The suite writes in between.
        if fails: print('("expected: x",", got: y")')
        print(f"      {name} (12ms) [✘]" if fails else f"      {name} [✔]")
        if fails: failures.append((group, name, lines))
    print("      later [‐]\n        # PENDING: not now")
if failures:
    print("\nFailures:\n")
    for number, (group, name, lines) in enumerate(failures, 1):
        print(f"  tests/ChatTests/Direct.hs:{number}:5: ")
        print(f"  {number}) SimpleX chat client, {suite}, {group}, {name}")
        for line in lines: print("       " + line)
        print(f'\n  To rerun use: --match "/SimpleX chat client/{suite}/{group}/{name}/" --seed 7\n')
print(f"Randomized with seed 7\n\nFinished in 1 seconds\n12 examples, {len(failures)} failures, 2 pending")
