import FileAccess
import Foundation
import Testing

/// Files as a whole, line by line and in place.
struct FileAccessTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)").path
    try Folder.create(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func aReplacedFileHasTheNewContentAndRights() throws {
    try withFolder { folder in
      let path = folder + "/a"
      #expect(try WholeFile.text(path) == nil)
      try WholeFile.replace(path, with: [1, 2, 3], permissions: 0o644)
      #expect(try permissions(path) == 0o644)
      try WholeFile.replace(path, with: Array("longer content".utf8))
      #expect(try WholeFile.text(path) == "longer content")
      #expect(try permissions(path) == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }
  }

  @Test func aCopyReplacesNothing() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try WholeFile.replace(path, with: content)
      try WholeFile.copy(path, to: folder + "/b", permissions: 0o640)
      #expect(try WholeFile.read(folder + "/b") == content && permissions(folder + "/b") == 0o640)
      try WholeFile.linkOrCopy(path, to: folder + "/c")
      #expect(try WholeFile.read(folder + "/c") == content)
      for name in ["/b", "/c"] {
        let link = #expect(throws: FileError.self) { try WholeFile.linkOrCopy(path, to: folder + name) }
        let copy = #expect(throws: FileError.self) { try WholeFile.copy(path, to: folder + name) }
        #expect(link?.code == EEXIST && copy?.code == EEXIST)
      }
      let missing = #expect(throws: FileError.self) { try WholeFile.linkOrCopy(folder + "/x", to: folder + "/y") }
      #expect(missing?.isMissing == true && !PathStatus.exists(folder + "/y"))
    }
  }

  #if os(Linux)
    @Test func theHolderOfALockIsNamed() throws {
      try withFolder { folder in
        let file = try FileDescriptor(folder + "/lock", .updating)
        #expect(LockHolder.process(of: folder + "/lock") == nil && LockHolder.note(of: folder + "/none").isEmpty)
        let isLocked = file.tryLock()
        #expect(isLocked)
        #expect(LockHolder.process(of: folder + "/lock") == getpid())
        #expect(LockHolder.note(of: folder + "/lock") == " (this process)")
        try file.sync()
      }
    }
  #endif

  /// As the servers do, which create files for their owner alone, but pages for everybody.
  @Test func rightsDoNotDependOnWhatTheProcessMasks() throws {
    try withFolder { folder in
      let mask = umask(0o077)
      defer { umask(mask) }
      try Folder.create(folder + "/www/a", permissions: 0o755)
      try WholeFile.replace(folder + "/www/a/page", with: [1], permissions: 0o644)
      for place in ["/www", "/www/a"] { #expect(try permissions(folder + place) == 0o755) }
      #expect(try permissions(folder + "/www/a/page") == 0o644)
      // A folder that exists keeps its rights.
      try Folder.create(folder, permissions: 0o755)
      #expect(try permissions(folder) == 0o700)
    }
  }

  /// A draft that a crash left must neither stop the next replacement nor lend it its rights.
  @Test func aDraftOfACrashIsReplaced() throws {
    try withFolder { folder in
      let path = folder + "/a"
      try WholeFile.replace(path + ".new", with: Array("draft".utf8), permissions: 0o666)
      try WholeFile.replace(path, with: Array("text".utf8))
      #expect(try WholeFile.text(path) == "text")
      #expect(try permissions(path) == 0o600)
    }
  }

  @Test func aFailedReplacementLeavesNothing() throws {
    try withFolder { folder in
      try Folder.create(folder + "/a/b")
      // A folder that is not empty cannot be replaced.
      let error = #expect(throws: FileError.self) { try WholeFile.replace(folder + "/a", with: [1]) }
      #expect(error?.operation == .rename)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }
  }

  @Test(arguments: [0, 1, 65_536, 200_000]) func filesOfAnySizeAreReadToTheirEnd(_ size: Int) throws {
    try withFolder { folder in
      let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 251) }
      try WholeFile.replace(folder + "/a", with: content)
      #expect(try WholeFile.read(folder + "/a") == content)
      #expect(try WholeFile.read(folder + "/a", limit: size) == content)
      if size > 0 {
        let error = #expect(throws: FileError.self) { try WholeFile.read(folder + "/a", limit: size - 1) }
        #expect(error?.code == EFBIG)
      }
    }
  }

  /// Pipes and files of the system have no size.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
  func filesWithoutASizeAreReadToTheirEnd() throws {
    let text = try #require(try WholeFile.text("/proc/self/status"))
    #expect(text.hasPrefix("Name:") && text.contains("nonvoluntary_ctxt_switches"))
  }

  @Test func textIsAppended() throws {
    try withFolder { folder in
      try WholeFile.append("a\n", to: folder + "/log")
      try WholeFile.append("b\n", to: folder + "/log")
      #expect(try WholeFile.text(folder + "/log") == "a\nb\n")
      #expect(try permissions(folder + "/log") == 0o600)
    }
  }

  @Test func errorsNameTheFile() {
    let error = #expect(throws: FileError.self) { try WholeFile.read("/nonexistent/file") }
    #expect(error == FileError(.open, "/nonexistent/file", code: ENOENT))
    #expect(error?.description == "/nonexistent/file: No such file or directory")
    #expect(throws: FileError(.remove, "/nonexistent/file", code: ENOENT)) {
      try WholeFile.remove("/nonexistent/file")
    }
  }

  @Test(
    arguments: [
      ["a", "", "bc"], [], ["", ""],
      [String(repeating: "x", count: 65_535), String(repeating: "y", count: 200_000), "z"],
      (0..<30_000).map { "line \($0)" },
    ], [true, false])
  func linesAreReadOneByOne(_ lines: [String], _ endsWithNewline: Bool) throws {
    try withFolder { folder in
      var text = lines.joined(separator: "\n")
      if endsWithNewline, !lines.isEmpty { text += "\n" }
      try WholeFile.replace(folder + "/lines", with: text.utf8)
      let reader = try LineReader(folder + "/lines")
      var read: [String] = []
      while let line = try reader.next() { read.append(line) }
      // An empty last line only exists with its end.
      let expected = !endsWithNewline && lines.last == "" ? Array(lines.dropLast()) : lines
      #expect(read == expected)
      #expect(try reader.next() == nil)
    }
  }

  @Test func filesAreReadAndWrittenInPlace() throws {
    try withFolder { folder in
      let file = try FileDescriptor(folder + "/a", .updating)
      try [UInt8]([1, 2, 3, 4]).withUnsafeBytes { try file.write($0, at: 2) }
      try [UInt8]([9]).withUnsafeBytes { try file.write($0, at: 3) }
      let size = try file.size()
      #expect(size == 6)
      var bytes = [UInt8](repeating: 7, count: 8)
      let count = try bytes.withUnsafeMutableBytes { try file.read($0, at: 1) }
      #expect(count == 5)
      #expect(bytes == [0, 1, 9, 3, 4, 7, 7, 7])
      try file.sync()
      try file.sync(dataOnly: true)
      try FileDescriptor.syncFolder(of: folder + "/a")
      try file.truncate()
      let emptied = try file.size()
      #expect(emptied == 0)
    }
  }

  @Test func oneOpenFileHasTheLock() throws {
    try withFolder { folder in
      let first = try FileDescriptor(folder + "/a", .updating)
      let isFirstLocked = first.tryLock()
      #expect(isFirstLocked)
      let second = try FileDescriptor(folder + "/a", .updating)
      let isSecondLocked = second.tryLock()
      #expect(!isSecondLocked)
    }
  }

  @Test func aNewFileIsNotOneThatExists() throws {
    try withFolder { folder in
      try WholeFile.replace(folder + "/a", with: [])
      #expect(throws: FileError(.open, folder + "/a", code: EEXIST)) {
        _ = try FileDescriptor(folder + "/a", .creating)
      }
    }
  }

  @Test func foldersAreCreatedWithThoseAbove() throws {
    try withFolder { folder in
      try Folder.create(folder + "/a/b//c/")
      #expect(try permissions(folder + "/a/b/c") == 0o700)
      try Folder.create(folder + "/a/b")
      try WholeFile.replace(folder + "/file", with: [])
      #expect(throws: FileError.self) { try Folder.create(folder + "/file/x") }
    }
    #expect(Folder.parent(of: "a") == nil)
    #expect(Folder.parent(of: "/a") == nil)
    #expect(Folder.parent(of: "/a/b/") == "/a")
    #expect(Folder.parent(of: "a//b") == "a")
  }

  @Test func onlyFilesHaveSizes() throws {
    try withFolder { folder in
      let path = folder + "/a"
      #expect(!PathStatus.exists(path) && PathStatus.size(of: path) == nil)
      #expect(!PathStatus.areTogether(path, folder))
      try WholeFile.replace(path, with: [1, 2, 3])
      #expect(PathStatus.exists(path) && PathStatus.size(of: path) == 3)
      #expect(PathStatus.areTogether(path, folder))
      #expect(!PathStatus.exists(folder) && PathStatus.size(of: folder) == nil)
      #expect(symlink(path, folder + "/link") == 0 && PathStatus.size(of: folder + "/link") == 3)
      #expect(symlink(folder + "/none", folder + "/lost") == 0 && !PathStatus.exists(folder + "/lost"))
    }
  }

  /// Paths to the same place have the same real path, also where nothing is there yet.
  @Test func realPathsLeadToOnePlace() throws {
    try withFolder { folder in
      let manager = FileManager.default
      try Folder.create(folder + "/a/b")
      for (link, target) in [("/link", "a"), ("/a/up", ".."), ("/dangling", "a/new"), ("/loop", "loop")] {
        try manager.createSymbolicLink(atPath: folder + link, withDestinationPath: target)
      }
      let real = RealPath(folder)
      for (path, place) in [
        ("/a/b/", "/a/b"), ("//a/./b/..", "/a"), ("/link/b", "/a/b"), ("/a/up/link//up/a/", "/a"), ("/new/x", "/new/x"),
        ("/link/b/new/", "/a/b/new"), ("/dangling/x", "/a/new/x"), ("/new/../a", "/a"), ("/new/.", "/new"),
        ("/loop", "/loop"),
      ] { #expect(RealPath(folder + path).text == real.text + place, "\(path)") }
      #expect(RealPath("/").text == "/" && RealPath("/../nowhere-else").text == "/nowhere-else")
      #expect(RealPath("") == RealPath("") && RealPath("nowhere-else").text.hasSuffix("/nowhere-else"))
      #expect(real.contains(RealPath(folder + "/link")) && real.contains(real) && RealPath("/").contains(real))
      #expect(!real.contains(RealPath(folder + "/..")) && !real.contains(RealPath(folder + "2")))
    }
  }
}
