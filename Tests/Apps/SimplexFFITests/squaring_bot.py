# The squaring bot of the official SDK's documentation, on databases that exist and know a relay.
#   squaring_bot.py PREFIX
import re
import signal
import sys

from simplex_chat import Bot, BotProfile, Message, SqliteDb, TextMessage

# Threads of a test block signals, and their children would too.
signal.pthread_sigmask(signal.SIG_SETMASK, [])

bot = Bot(
    profile=BotProfile(display_name="Squaring bot"),
    db=SqliteDb(file_prefix=sys.argv[1]),
    welcome="Send me a number, I'll square it.",
)


@bot.on_message(content_type="text", text=re.compile(r"^-?\d+(\.\d+)?$"))
async def square(msg: TextMessage) -> None:
    n = float(msg.text or "0")
    await msg.reply(f"{n} * {n} = {n * n}")


@bot.on_message(content_type="text")
async def fallback(msg: Message) -> None:
    await msg.reply("Send me a number, like 7 or 3.14.")


if __name__ == "__main__":
    bot.run()
