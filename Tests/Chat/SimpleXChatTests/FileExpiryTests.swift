import ChatAPI
import Foundation
import SimpleXChat
import SimplexTesting
import Testing

/// Files go with their messages, before the response of the command that removes them.
@Suite struct FileExpiryTests {
  /// Who shortens the time sees nothing older after the response.
  @Test func filesAreGoneWithTheResponse() async throws {
    try await withSentFile { alice, _, _, file in
      try await Task.sleep(for: .milliseconds(2_100))
      _ = try await alice.run("/_ttl 1 1")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test func theFileOfADeletedMessageIsGoneWithTheResponse() async throws {
    try await withSentFile { alice, contact, item, file in
      _ = try await alice.run("/_delete item @\(contact) \(item) internal")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test(arguments: ["/_clear chat", "/_delete"]) func theFilesOfADeletedChatAreGoneWithTheResponse(command: String)
    async throws
  {
    try await withSentFile { alice, contact, _, file in
      _ = try await alice.run("\(command) @\(contact)")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  /// Removing the file lets nothing get between the deletion and its response: a later response that shows the deletion
  /// comes later.
  @Test func nothingLaterComesBeforeTheResponse() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let folder = world.folder.appending(path: "files")
      _ = try await alice.run("/_files_folder \(folder.path)")
      for round in 0..<20 {
        try Data("to keep".utf8).write(to: folder.appending(path: "note.txt"))
        let made = try await alice.run(
          #"/_create *1 json [{"fileSource":{"filePath":"note.txt"},"msgContent":{"type":"file","text":""}}]"#)
        let item = try #require(made["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
        let deletion = try ChatCommand(parsing: "/_delete item *1 \(item) internal")
        let look = try ChatCommand(parsing: "/_get chat *1 count=1")
        await withTaskGroup { [controller = alice.controller] group in
          group.addTask { await controller.post(deletion, as: 1) }
          group.addTask { await controller.post(look, as: 2) }
        }
        var responses: [(number: UInt64, text: String)] = []
        while responses.count < 2, let output = await alice.controller.eventQueue.nextOutput() {
          if case .response(let number, let result) = output { responses.append((number, result.jsonText())) }
        }
        let first = try #require(responses.first)
        #expect(first.number == 1 || first.text.contains("note.txt"), "round \(round)")
      }
    }
  }

  /// Alice sends Bob a file; the body is given the ids of the contact and of the message, and the file.
  private func withSentFile(
    _ body: (_ alice: TestCore, _ contact: Int64, _ item: Int64, _ file: URL) async throws -> Void
  ) async throws {
    try await TestWorld.with { world in
      let (alice, _) = try await world.connected("alice", "bob")
      let contact = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      let folder = world.folder.appending(path: "files")
      _ = try await alice.run("/_files_folder \(folder.path)")
      let file = folder.appending(path: "note.txt")
      try Data("to keep".utf8).write(to: file)
      let sent = try await alice.run(
        #"/_send @\#(contact) json [{"fileSource":{"filePath":"note.txt"},"msgContent":{"type":"file","text":""}}]"#)
      let item = try #require(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
      try await body(alice, contact, item, file)
    }
  }
}
