import ChatAPI
import Foundation
import Testing

@testable import ChatTerminal

/// Paths behind commands about files.
@Suite struct PathTests {
  @Test func completion() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "paths-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder.appending(path: "my photos"), withIntermediateDirectories: true)
    for name in ["cat.jpg", "car.jpg", "my photos/dog.jpg", ".hidden"] {
      try Data().write(to: folder.appending(path: name))
    }
    func completed(_ path: String) throws -> (line: String, variants: [String]) {
      let completion = try #require(Completion("/f @bob \(folder.path)/\(path)"))
      return completion.completed(with: Paths.candidates(completion.name))
    }
    let head = "/f @bob \(folder.path)/"
    #expect(try completed("c").line == head + "ca")
    #expect(try completed("c").variants == ["car.jpg", "cat.jpg"].map { "\(folder.path)/\($0)" })
    #expect(try completed("cat").line == head + "cat.jpg")
    // A name with a space stays as it is: the path is the rest of the line.
    #expect(try completed("my").line == head + "my photos/")
    #expect(try completed("my photos/").line == head + "my photos/dog.jpg")
    #expect(try completed("").variants.count == 3)
    #expect(try completed(".h").line == head + ".hidden")
    #expect(try completed("nothing").variants.isEmpty)
    #expect(Paths.candidates("/no such folder/x").isEmpty)
  }

  @Test func home() throws {
    #expect(Paths.expanded("~/a", home: "/home/alice") == "/home/alice/a")
    for path in ["~", "~bob/a", "/a/~/b", ""] { #expect(Paths.expanded(path, home: "/home/alice") == path) }
    #expect(Paths.expanded("~/a", home: nil) == "~/a")
    let home = try #require(ProcessInfo.processInfo.environment["HOME"])
    for (line, expanded) in [
      ("/f @bob ~/a.jpg", "/file @bob \(home)/a.jpg"), ("/img #team ~/a.jpg", "/image #team \(home)/a.jpg"),
      ("/fr 1 ~/", "/freceive 1 \(home)/"),
    ] {
      #expect(try ChatCommand(parsing: line).withHome.cmdString == ChatCommand(parsing: expanded).cmdString)
    }
    // A text is not a path.
    #expect(try ChatCommand(parsing: "@bob ~/a").withHome.cmdString == "@bob ~/a")
  }
}
