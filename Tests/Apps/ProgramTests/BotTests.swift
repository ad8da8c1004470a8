import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What the TypeScript client of the reference sends, text for text, and what it reads of the answers.
@Suite struct BotTests {
  private static let webSockets = "websockets==15.0.1"

  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let examples = tests.appending(path: "../../../Examples").standardized

  /// The packages of the example for Node; nil where they are not installed.
  private static let nodeModules: URL? = {
    let folder = examples.appending(path: "NodeBot/node_modules")
    let client = folder.appending(path: "@simplex-chat/webrtc-client/package.json")
    return FileManager.default.fileExists(atPath: client.path) ? folder : nil
  }()

  /// `Examples/WebSocketBot/echo_bot.py`, unchanged.
  @Test(.enabled(if: Python.environment(with: Self.webSockets) != nil, "the package websockets cannot be installed"))
  func theExampleInPython() async throws {
    try await ProgramWorld.with { world in
      try await answers(world, Self.examples.appending(path: "WebSocketBot/echo_bot.py"))
    }
  }

  /// `Examples/NodeBot/echo_bot.ts`, compiled with the settings of its package.
  @Test(
    .enabled(if: Self.nodeModules != nil, "the packages of the example are missing: npm install in Examples/NodeBot"),
    .enabled(if: Python.environment(with: Self.webSockets) != nil, "the package websockets cannot be installed"))
  func theExampleForNode() async throws {
    let modules = try #require(Self.nodeModules)
    try await ProgramWorld.with { world in
      let compiler = Process()
      compiler.executableURL = URL(filePath: "/usr/bin/env")
      compiler.arguments = [
        "node", modules.appending(path: "typescript/bin/tsc").path, "-p", Self.examples.appending(path: "NodeBot").path,
        "--outDir", world.folder.path,
      ]
      try compiler.run()
      compiler.waitUntilExit()
      #expect(compiler.terminationStatus == 0)
      try FileManager.default.createSymbolicLink(
        at: world.folder.appending(path: "node_modules"), withDestinationURL: modules)
      try await answers(world, world.folder.appending(path: "echo_bot.js"))
    }
  }

  /// Connects to the bot of an example, which answers messages.
  private func answers(_ world: ProgramWorld, _ example: URL) async throws {
    let arguments = [
      Self.tests.appending(path: "echo_bot_scenario.py").path, Program.folder.appending(path: "simplex-chat").path,
      world.server, world.folder.path, example.path,
    ]
    let result = try await Task.detached {
      try Python.run(
        script: "import runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')",
        arguments: arguments, package: Self.webSockets)
    }.value
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }

  /// `Examples/WebSocketBot/call_bot.py`, unchanged: calls are declined with a message, also one that rang before.
  @Test(.enabled(if: Python.environment(with: Self.webSockets) != nil, "the package websockets cannot be installed"))
  func theExampleThatTakesNoCalls() async throws {
    let python = try #require(Python.environment(with: Self.webSockets))
    try await ProgramWorld.with { world in
      let desk = try await world.scenarioProfile("desk")
      let alice = try await world.scenarioProfile("alice")
      let example = Self.examples.appending(path: "WebSocketBot/call_bot.py")
      func start() throws -> Program {
        try Program(
          executable: URL(filePath: python), [example.path, String(desk.port)], in: world.folder,
          environment: ["PYTHONDONTWRITEBYTECODE": "1"])
      }
      let bot = try start()
      let link = try bot.line("connect with: ")
      _ = try await alice.answer("/connect \(link)", is: "sentInvitation")
      let contact = try await alice.events.first("contactConnected")["contact"]?["contactId"]?.integerValue
      let invite = #"/_call invite @\#(try #require(contact)) {"media":"audio","capabilities":{"encryption":true}}"#
      _ = try await alice.answer(invite, is: "cmdOk")
      _ = try await alice.events.first("newChatItems") { Self.text($0) == "I cannot take calls. Please write." }
      // Python inherits the mask of signals of this process.
      bot.endAtOnce()

      _ = try await alice.answer("/_call end @\(try #require(contact))")
      _ = try await alice.answer(invite, is: "cmdOk")
      _ = try await desk.events.first("callInvitation")
      let again = try start()
      _ = try await alice.events.first("newChatItems") { Self.text($0) == "I cannot take calls. Please write." }
      again.endAtOnce()
    }
  }

  @Test func theSquaringBot() async throws {
    try await ProgramWorld.with { world in
      let bot = try await world.scenarioProfile("squarer")
      let alice = try await world.scenarioProfile("alice")

      let user = try await bot.answer("/user", is: "activeUser")["user"]
      let id = try #require(user?["userId"]?.integerValue)
      #expect(user?["profile"]?["displayName"]?.stringValue == "squarer")
      // No address yet is an error that the client knows.
      let missing = try await bot.answer("/_show_address \(id)", is: "errorStore")
      #expect(missing["storeError"]?["type"]?.stringValue == "userContactLinkNotFound")
      let created = try await bot.answer("/_address \(id)", is: "userContactLinkCreated")["connLinkContact"]
      let address = try #require(created?["connShortLink"]?.stringValue ?? created?["connFullLink"]?.stringValue)
      let shown = try await bot.answer("/_show_address \(id)", is: "userContactLink")
      #expect(shown["contactLink"]?["connLinkContact"]?["connShortLink"]?.stringValue == address)
      let settings = #"{"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#
      _ = try await bot.answer("/_address_settings \(id) \(settings)", is: "userContactLinkUpdated")

      _ = try await alice.answer("/connect \(address)", is: "sentInvitation")
      let contact = try await bot.events.first("contactConnected")["contact"]?["contactId"]?.integerValue
      let peer = try #require(contact)
      let other = try #require(
        try await alice.events.first("contactConnected")["contact"]?["contactId"]?.integerValue)
      let hello = #"[{"msgContent":{"type":"text","text":"Send me a number"},"mentions":{}}]"#
      _ = try await bot.answer("/_send @\(peer) json \(hello)", is: "newChatItems")
      _ = try await alice.events.first("newChatItems") { Self.text($0) == "Send me a number" }

      let number = #"[{"msgContent":{"type":"text","text":"7"},"mentions":{}}]"#
      let sent = try await alice.answer("/_send @\(other) json \(number)", is: "newChatItems")
      let item = try #require(
        sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
      let received = try await bot.events.first("newChatItems") { Self.text($0) == "7" }
      #expect(received["chatItems"]?[0]?["chatInfo"]?["type"]?.stringValue == "direct")
      let content = received["chatItems"]?[0]?["chatItem"]?["content"]
      #expect(content?["type"]?.stringValue == "rcvMsgContent")
      #expect(content?["msgContent"]?["text"]?.stringValue == "7")

      let edited = #"{"msgContent":{"type":"text","text":"8"},"mentions":{}}"#
      let update = try await alice.answer("/_update item @\(other) \(item) json \(edited)", is: "chatItemUpdated")
      #expect(update["chatItem"]?["chatItem"]?["meta"]?["itemEdited"] != nil)
      _ = try await alice.answer("/_delete item @\(other) \(item) broadcast", is: "chatItemsDeleted")
      let profile = #"{"displayName":"squarer","fullName":"Squaring bot"}"#
      let changed = try await bot.answer("/_profile \(id) \(profile)", is: "userProfileUpdated")
      #expect(changed["toProfile"]?["fullName"]?.stringValue == "Squaring bot")
      _ = try await bot.answer("/_profile \(id) \(profile)", is: "userProfileNoChange")
      let link = try await bot.answer("/_connect \(id)", is: "invitation")["connLinkInvitation"]
      #expect(link?["connShortLink"] != nil && link?["connFullLink"] != nil)
      _ = try await bot.answer("/_delete_address \(id)", is: "userContactLinkDeleted")
      _ = try await bot.answer("/_delete @\(peer) full", is: "contactDeleted")
      _ = try await alice.events.first("contactDeletedByContact")
      let again = #"{"profile":{"displayName":"squarer","fullName":""},"pastTimestamp":false}"#
      let refused = try await bot.answer("/_create user \(again)", is: "error")
      #expect(refused["errorType"]?["type"]?.stringValue == "userExists")
    }
  }

  private static func text(_ event: JSONValue) -> String? {
    event["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["text"]?.stringValue
  }

  /// Every client gets every event, a response only the one that asked.
  @Test func severalClients() async throws {
    try await ProgramWorld.with { world in
      let alice = try await world.scenarioProfile("alice")
      let bob = try await world.scenarioProfile("bob")
      let second = try await WebSocketClient.connect(port: alice.port)
      // A client that got a response also gets events.
      try await second.send(#"{"corrId":"x","cmd":"/user"}"#)
      #expect(try await second.next(within: .seconds(10))?.contains(#""corrId":"x""#) == true)
      let link = try await alice.answer("/_connect 1", is: "invitation")["connLinkInvitation"]?["connShortLink"]
      _ = try await bob.answer("/connect \(link?.stringValue ?? "")", is: "sentConfirmation")
      _ = try await alice.events.first("contactConnected")
      while true {
        let text = try #require(try await second.next(within: .seconds(20)))
        let message = try JSONValue(jsonText: text)
        // A message without number is an event, which is how the TypeScript client distinguishes it from a response.
        #expect(message["corrId"] == nil)
        if message["resp"]?["type"]?.stringValue == "contactConnected" { break }
      }
      await second.close()
    }
  }
}

extension ProgramProfile {
  /// The answer to a command, which must be of this kind.
  func answer(_ command: String, is tag: String) async throws -> JSONValue {
    let answer = try await answer(command)
    guard answer["type"]?.stringValue == tag else {
      throw Unexpected(description: "\(command): \(answer.jsonText())")
    }
    return answer
  }
}
