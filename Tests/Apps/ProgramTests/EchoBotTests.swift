import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// `Examples/EchoBot`.
@Suite struct EchoBotTests {
  /// Somebody connects by the address that it prints, and gets back what they send.
  @Test func itAnswers() async throws {
    try await ProgramWorld.with { world in
      let prefix = world.folder.appending(path: "echo").path
      let bot = try Program("echo-bot", [prefix, world.server], in: world.folder)
      defer { bot.stop() }
      let address = try bot.line("Its address: ")
      let alice = try await world.scenarioProfile("alice")
      let connecting = try await alice.answer("/connect \(address)")
      #expect(
        ["sentInvitation", "sentConfirmation"].contains(connecting["type"]?.stringValue), "\(connecting.jsonText())")
      let contact = try await alice.events.first("contactConnected")["contact"]?["contactId"]?.integerValue
      for text in ["hello", "two\\nlines"] {
        _ = try await alice.answer(
          "/_send @\(contact ?? 0) json [{\"msgContent\":{\"type\":\"text\",\"text\":\"\(text)\"},\"mentions\":{}}]",
          is: "newChatItems")
        _ = try await alice.events.first("newChatItems") {
          let item = $0["chatItems"]?[0]?["chatItem"]
          return item?["chatDir"]?["type"]?.stringValue == "directRcv"
            && item?["meta"]?["itemText"]?.stringValue == text.replacing("\\n", with: "\n")
        }
      }
    }
  }

  /// It answers what came while only its chat core ran, in another program.
  @Test func itAnswersWhatNobodyTook() async throws {
    try await ProgramWorld.with { world in
      let core = try await world.scenarioProfile("echo")
      let alice = try await world.scenarioProfile("alice")
      let link = try await core.answer("/_connect 1", is: "invitation")["connLinkInvitation"]?["connShortLink"]
      _ = try await alice.answer("/connect \(link?.stringValue ?? "")", is: "sentConfirmation")
      _ = try await alice.events.first("contactConnected")
      _ = try await alice.answer("@echo are you there?", is: "newChatItems")
      _ = try await core.events.first("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "are you there?"
      }
      await world.leave("echo")
      let bot = try Program("echo-bot", [world.folder.appending(path: "echo").path, world.server], in: world.folder)
      defer { bot.stop() }
      _ = try await alice.events.first("newChatItems") {
        let item = $0["chatItems"]?[0]?["chatItem"]
        return item?["chatDir"]?["type"]?.stringValue == "directRcv"
          && item?["meta"]?["itemText"]?.stringValue == "are you there?"
      }
    }
  }

  /// Errors are one sentence, not a value of Swift.
  @Test(arguments: [
    (["bot", "foo"], "not addresses of servers: foo"), (["missing/bot"], "No such file or directory"),
  ])
  func errorsAreExplained(arguments: [String], reason: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "echo-bot-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let prefix = folder.appending(path: arguments[0]).path
    let result = try Program.run("echo-bot", [prefix] + arguments.dropFirst(), in: folder)
    #expect(result.status == 1 && result.output.isEmpty, "\(result)")
    #expect(result.errors.hasPrefix("echo-bot: ") && result.errors.contains(reason), "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
  }
}
