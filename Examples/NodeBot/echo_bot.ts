// A bot with the official client for Node: it has an address, accepts everybody, and sends back what it is sent.
//
//     simplex-chat -d ./bot --create-bot-display-name Echo -p 5225      # the chat core
//     npm install && npm run build && node echo_bot.js [PORT]           # the bot

import {ChatClient} from "@simplex-chat/webrtc-client"
import type {ChatEvent, T} from "@simplex-chat/types"

/** Creates the bot's address, unless there is one, and returns its link. */
async function address(chat: ChatClient): Promise<string> {
  const user = await chat.apiGetActiveUser()
  if (!user) throw new Error("there is no profile: start simplex-chat with --create-bot-display-name")
  const link = (await chat.apiGetUserAddress(user.userId)) ?? (await chat.apiCreateUserAddress(user.userId))
  await chat.enableAddressAutoAccept(user.userId)
  return link
}

/** Sends back a received message of a contact. */
async function answer(chat: ChatClient, {chatInfo, chatItem}: T.AChatItem): Promise<void> {
  if (chatInfo.type !== "direct" || chatItem.content.type !== "rcvMsgContent") return
  const message = {msgContent: chatItem.content.msgContent, mentions: {}}
  await chat.apiSendMessages(chatInfo.type as T.ChatType, chatInfo.contact.contactId, [message])
  // Otherwise it comes again with the next connection.
  await chat.sendChatCmd(`/_read chat items @${chatInfo.contact.contactId} ${chatItem.meta.itemId}`)
}

async function main(port: string): Promise<void> {
  // While a command waits for its response, as many events can arrive before the connection is no longer read.
  const chat = await ChatClient.create(`ws://127.0.0.1:${port}/?unread=on`, {qSize: 1024, tcpTimeout: 4000})
  void chat.client.then(() => fail("simplex-chat has ended"))
  console.log("connect with:", await address(chat))
  for await (const next of chat.msgQ) {
    const event: ChatEvent = await next
    if (event.type === "contactConnected") console.log("connected:", event.contact.localDisplayName)
    if (event.type === "newChatItems") for (const item of event.chatItems) await answer(chat, item)
  }
}

function fail(reason: string): never {
  console.error(reason)
  process.exit(1)
}

main(process.argv[2] ?? "5225").catch((error: Error) => fail(`${error.message}: is simplex-chat running with -p?`))
