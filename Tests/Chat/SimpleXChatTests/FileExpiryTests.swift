import Foundation
import SimplexTesting
import Testing

/// Files go with messages that are older than their chat keeps them.
@Suite struct FileExpiryTests {
  /// Who shortens the time sees nothing older after the response.
  @Test func filesAreGoneWithTheResponse() async throws {
    try await TestWorld.with { world in
      let (alice, _) = try await world.connected("alice", "bob")
      let contact = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      let folder = world.folder.appending(path: "files")
      _ = try await alice.run("/_files_folder \(folder.path)")
      let file = folder.appending(path: "note.txt")
      try Data("to keep".utf8).write(to: file)
      _ = try await alice.run(
        #"/_send @\#(contact) json [{"fileSource":{"filePath":"note.txt"},"msgContent":{"type":"file","text":""}}]"#)
      try await Task.sleep(for: .milliseconds(2_100))
      _ = try await alice.run("/_ttl 1 1")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }
}
