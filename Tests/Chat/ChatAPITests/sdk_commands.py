"""Writes a line [name, command] for every command function of the SDK, with few and with many optional fields."""

import json
import sys
import types
import typing

from simplex_chat.types import CC, T

LINK = "https://smp.example.com/a#ibHS6lrVI9tw0sfrP9mmu6t9_4e9LfFbwIJQr4nY0ho"
STRINGS = {
    "connFullLink": "simplex:/contact#/?v=2-7&smp=x",
    "connShortLink": LINK,
    "connectTarget": LINK,
    "connTarget_": LINK,
    "image": "data:image/jpg;base64,AAAA",
    "filePath": "/tmp/a b.jpg",
    "emoji": "👍",
}
CHATS = [
    {"chatType": "direct", "chatId": 1},
    {"chatType": "group", "chatId": 2},
    {"chatType": "group", "chatId": 2, "chatScope": {"type": "memberSupport"}},
    {"chatType": "group", "chatId": 2, "chatScope": {"type": "memberSupport", "groupMemberId_": 3}},
]


def sample(annotation, full, index, name="", depth=0):
    """A value of a type: with all optional fields or with none; `index` chooses variants."""
    origin = typing.get_origin(annotation)
    if annotation is T.ChatRef:
        return CHATS[index % len(CHATS)]
    if origin is typing.NotRequired:
        return sample(typing.get_args(annotation)[0], full, index, name, depth)
    if origin is typing.Literal:
        values = typing.get_args(annotation)
        return values[index % len(values)]
    if origin in (typing.Union, types.UnionType):
        # Unknown variants are what the SDK reads from newer versions; a client does not send them.
        variants = [variant for variant in typing.get_args(annotation) if not variant.__name__.endswith("_unknown")]
        return sample(variants[index % len(variants)], full, index, name, depth + 1)
    if origin is list:
        if depth > 4:
            return []
        element = typing.get_args(annotation)[0]
        return [sample(element, full, index + n, name, depth + 1) for n in range(2 if full else 1)]
    if origin is dict:
        return {"bob": sample(typing.get_args(annotation)[1], full, index, name, depth + 1)} if full else {}
    if typing.is_typeddict(annotation):
        hints = typing.get_type_hints(annotation, include_extras=True, localns={**vars(T), "T": T})
        return {
            field: sample(hint, full, index, field, depth + 1)
            for field, hint in hints.items()
            if typing.get_origin(hint) is not typing.NotRequired or (full and depth < 5)
        }
    if annotation is bool:
        return (index + full) % 2 == 0
    if annotation is int:
        return 1 + index
    if annotation is float:
        return 0.5
    if annotation is str:
        return STRINGS.get(name, "2026-01-31T12:00:00Z" if name.endswith(("Ts", "At", "Expiry")) else "AQID")
    return {"key": [1, "two"]}


def main():
    for name, function in sorted(vars(CC).items()):
        if not name.endswith("_cmd_string"):
            continue
        command = getattr(CC, name.removesuffix("_cmd_string"))
        lines = set()
        for full in (False, True):
            for index in range(12):
                try:
                    lines.add(function(sample(command, full, index)))
                except TypeError as error:
                    print(f"{name}: the SDK cannot write this: {error}", file=sys.stderr)
        for line in sorted(lines):
            print(json.dumps([name.removesuffix("_cmd_string"), line]))


main()
