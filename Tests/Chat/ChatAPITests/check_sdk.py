"""Checks JSON lines `[name, value]` against the TypedDicts of the official Python SDK.

Usage: check_sdk.py FILE. `name` is a type of `simplex_chat.types._types`, or `responses` or `events` for any variant of
those. Prints the coverage as `kind checked/declared` lines, then one line for each failure.
"""

import json
import sys
import types
import typing

from simplex_chat.types import _events, _responses, _types

# What the SDK declares differently from what the core writes: type name -> reason.
DEVIATIONS = {
    "ConnectionMode": "the core writes lower case",
    "FileProtocol": "the core writes lower case",
    "HandshakeError": "the core writes a tagged object",
}
# Variants that the core writes and the SDK does not declare.
UNDECLARED = {
    "AgentCryptoError": {"RATCHET_EARLIER", "RATCHET_SKIPPED"},
    "ChatError": {"errorDatabase", "errorRemoteCtrl", "errorRemoteHost", "invalidJSON", "unexpectedResult"},
    "ChatErrorType": {"callState", "contactNotFound", "invalidChatMessage", "serverProtocol"},
    "ChatInfo": {"invalidJSON"},
    "CIContent": {"invalidJSON"},
    "Format": {"unknown"},
}
# Members and values that the core writes and the SDK does not declare, or declares otherwise.
MEMBERS = {
    ("User", "agentUserId"): "the core writes a number as text",
    ("GroupPreference", "role"): "deletion for everyone may be limited to a role",
    ("SimplePreference", "ttl"): "disappearing messages have a time",
}
VALUES = {"contactRequest": "a chat type", "contactConnection": "a chat type"}
# Declarations that no value of the core has.
UNUSED = {
    "MsgContent_unknown": "unknown content is written as it was read",
    "MsgReaction_unknown": "unknown reactions are written as they were read",
    "LinkContent_unknown": "unknown content is written as it was read",
    "ChatDeleteMode_full": "a part of commands",
    "ChatDeleteMode_entity": "a part of commands",
    "ChatDeleteMode_messages": "a part of commands",
    "PaginationByTime_last": "a part of commands",
    "PlanResolveMode": "a part of commands",
    "ConnectionMode": DEVIATIONS["ConnectionMode"],
    "FileProtocol": DEVIATIONS["FileProtocol"],
    "HandshakeError": DEVIATIONS["HandshakeError"],
}

checked = set()
hints = {}


def members(cls):
    if cls not in hints:
        hints[cls] = typing.get_type_hints(cls, include_extras=True)
    return hints[cls]


def union_name(options):
    """`MsgContent` for the union of `MsgContent_text` and so on."""
    tag = typing.get_args(members(options[0])["type"])[0]
    return options[0].__name__.removesuffix("_" + tag)


def check(value, hint, path):
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return [] if value in typing.get_args(hint) or value in VALUES else [f"{path}: {value!r} is not one of {typing.get_args(hint)}"]
    if origin is list:
        element = typing.get_args(hint)[0]
        if not isinstance(value, list):
            return [f"{path}: not a list"]
        return [e for i, v in enumerate(value) for e in check(v, element, f"{path}[{i}]")]
    if origin is dict:
        if not isinstance(value, dict):
            return [f"{path}: not an object"]
        element = typing.get_args(hint)[1]
        return [e for k, v in value.items() for e in check(v, element, f"{path}.{k}")]
    if origin in (typing.Union, types.UnionType):
        return check_union(value, typing.get_args(hint), path)
    if typing.is_typeddict(hint):
        return check_record(value, hint, path)
    if hint in (object, typing.Any):
        return []
    if hint is bool or hint is str:
        return [] if type(value) is hint else [f"{path}: {value!r} is not {hint.__name__}"]
    if hint is int:
        return [] if type(value) is int else [f"{path}: {value!r} is not an integer"]
    if hint is float:
        return [] if type(value) in (int, float) else [f"{path}: {value!r} is not a number"]
    return [f"{path}: the SDK has an unknown kind of declaration, {hint!r}"]


def check_union(value, options, path):
    if not isinstance(value, dict) or "type" not in value:
        return [f"{path}: not a tagged object"]
    for option in options:
        if value["type"] in typing.get_args(members(option)["type"]):
            return check_record(value, option, path)
    if value["type"] in UNDECLARED.get(union_name(options), ()):
        return []
    return [f"{path}: the SDK has no variant {value['type']}"]


def check_record(value, cls, path):
    if not isinstance(value, dict):
        return [f"{path}: not an object"]
    errors = []
    checked.add(cls.__name__)
    for key, hint in members(cls).items():
        optional = typing.get_origin(hint) is typing.NotRequired
        if key in value:
            inner = typing.get_args(hint)[0] if optional else hint
            if declared_name(inner) not in DEVIATIONS and (cls.__name__, key) not in MEMBERS:
                errors += check(value[key], inner, f"{path}.{key}")
        elif not optional:
            errors.append(f"{path}: {key} is missing")
    for key in value:
        if key not in members(cls) and (cls.__name__, key) not in MEMBERS:
            errors.append(f"{path}: {key} is not declared")
    return errors


literal_names = {
    value: name
    for name, value in vars(_types).items()
    if typing.get_origin(value) is typing.Literal and not name.endswith("_Tag")
}


def declared_name(hint):
    return literal_names.get(hint) if typing.get_origin(hint) is typing.Literal else None


def declarations(module):
    """Names of all records, variants and enumerations that a module declares itself."""
    names = set()
    for name, value in vars(module).items():
        if typing.is_typeddict(value) and value.__module__ == module.__name__:
            names.add(value.__name__)
        elif typing.get_origin(value) is typing.Literal and not name.endswith("Tag"):
            names.add(name)
    return names


def variants(module):
    return {
        typing.get_args(members(cls)["type"])[0]: cls
        for name, cls in vars(module).items()
        if typing.is_typeddict(cls) and cls.__module__ == module.__name__
    }


def main():
    tagged = {"responses": variants(_responses), "events": variants(_events)}
    errors = []
    for line in open(sys.argv[1], encoding="utf-8"):
        name, value = json.loads(line)
        if name in tagged:
            cls = tagged[name].get(value["type"])
            if cls is not None:
                errors += [f"{name} {e}" for e in check_record(value, cls, value["type"])]
        elif hasattr(_types, name) and name not in DEVIATIONS:
            hint = getattr(_types, name)
            if declared_name(hint) == name:
                checked.add(name)
            if not (isinstance(value, dict) and value.get("type") in UNDECLARED.get(name, ())):
                errors += check(value, hint, name)
    for kind, module in (("types", _types), ("responses", _responses), ("events", _events)):
        declared = declarations(module) - set(UNUSED)
        print(f"{kind} {len(declared & checked)}/{len(declared)}")
        errors += [f"{kind}: {name} was never checked" for name in sorted(declared - checked)]
    for error in sorted(set(errors)):
        print(error)
    sys.exit(1 if errors else 0)


main()
