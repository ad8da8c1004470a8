import ChatAPI
import Foundation
import Testing

@testable import SimpleXChat

/// Where received files go, also after a process was killed between creating the empty file and storing its path.
@Suite struct ReceivedPlaceTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "places-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var folders: LocalFolders { LocalFolders(files: folder.path, temporary: nil) }

  /// Makes a file that was changed an hour ago.
  private func leave(_ name: String, _ content: String = "") throws {
    let path = folder.appending(path: name).path
    try Data(content.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
  }

  @Test func anEmptyFileThatIsLeftIsUsed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try leave("a.bin")
    #expect(try folders.createReceived("a.bin") { _ in false } == "a.bin")
    try leave("b.bin")
    let path = folder.appending(path: "b.bin").path
    #expect(try folders.createReceived("x.bin", at: path) { _ in false } == path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.bin", "b.bin"])
  }

  @Test func othersAreNot() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    // One has a place in the database, relative or absolute, one has content, one is of this process, one is a link.
    let place = folder.appending(path: "b.bin").path
    try leave("a.bin")
    #expect(try folders.createReceived("a.bin") { $0 == "a.bin" } == "a_1.bin")
    try leave("b.bin")
    #expect(try folders.createReceived("b.bin") { $0 == place } == "b_1.bin")
    #expect(throws: ChatError.error(errorType: .fileAlreadyExists(filePath: place))) {
      try folders.createReceived("b.bin", at: place) { $0 == place }
    }
    try leave("c.bin", "content")
    #expect(try folders.createReceived("c.bin") { _ in false } == "c_1.bin")
    #expect(try folders.createReceived("d.bin") { _ in false } == "d.bin")
    #expect(try folders.createReceived("d.bin") { _ in false } == "d_1.bin")
    try leave("e")
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "e.bin"), withDestinationURL: folder.appending(path: "e"))
    #expect(try folders.createReceived("e.bin") { _ in false } == "e_1.bin")
  }

  /// A path that the user chose begins in the current folder, also where there is a folder of files, whose files stay.
  @Test(arguments: [true, false]) func chosenPathsBeginInTheCurrentFolder(isFolder: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let chosen = "chosen-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: chosen) }
    if isFolder { try FileManager.default.createDirectory(atPath: chosen, withIntermediateDirectories: false) }
    try leave(chosen, "mine")
    let place = try folders.createReceived("x.bin", at: chosen) { _ in false }
    #expect(FileManager.default.fileExists(atPath: folders.path(place)))
    #expect(folders.path(place).hasPrefix(FileManager.default.currentDirectoryPath + "/" + chosen))
    folders.remove(place)
    #expect(try Data(contentsOf: folder.appending(path: chosen)) == Data("mine".utf8))
    let left = try? FileManager.default.contentsOfDirectory(atPath: chosen)
    #expect(left == (isFolder ? [] : nil))
  }

  /// To Swift, names are equal that differ only in their composition; on this system they are of two folders.
  @Test func pathsOfOtherFoldersStay() {
    let folders = LocalFolders(files: "/caf\u{e9}", temporary: nil)
    for path in ["a", "\u{301}a", "sub/a"] {
      #expect(Array(folders.storedPath("/caf\u{e9}/" + path).utf8) == Array(path.utf8))
    }
    for path in ["/cafe\u{301}/a", "/caf\u{e9}s/a", "a"] {
      #expect(Array(folders.storedPath(path).utf8) == Array(path.utf8))
    }
  }

  /// The folder of downloads is not of one profile alone.
  @Test func inOtherFoldersNothingIsUsedAgain() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try leave("a.bin")
    let other = LocalFolders(files: nil, temporary: nil)
    let path = try other.createReceived("a.bin", at: folder.path) { _ in false }
    #expect(path == folder.appending(path: "a_1.bin").path)
  }

  /// The first file that a process receives does not get the place of a copy that is still to be made.
  @Test func placesOfCopiesAreNotUsed() async {
    // A process of its own: with its first file it decides which files earlier processes left.
    await #expect(processExitsWith: .success) {
      let folder = FileManager.default.temporaryDirectory.appending(path: "places-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let folders = LocalFolders(files: folder.path, temporary: nil)
      let places = try folders.createCopies(named: ["large.bin", "photo.jpg"])
      // The first one is being copied meanwhile.
      try await Task.sleep(for: .milliseconds(300))
      let received = try folders.createReceived("photo.jpg") { _ in false }
      try? FileManager.default.removeItem(at: folder)
      precondition(!places.contains(received), "\(received) is the place of a copy")
    }
  }
}
