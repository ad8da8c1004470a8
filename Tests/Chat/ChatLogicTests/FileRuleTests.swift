import ChatAPI
import ChatLogic
import Testing

/// Names, descriptions and limits of files.
@Suite struct FileRuleTests {
  @Test(arguments: [
    ("photo.jpg", "photo.jpg"), ("../../etc/passwd", "passwd"), ("C:\\temp\\evil.exe", "evil.exe"), ("", "_"),
    ("..", "_"), (".", "_"), ("folder/", "_"), ("a\u{0}b\nc\u{9b}", "abc"), (".bashrc", ".bashrc"),
    // With a mark after it, a slash is another character for Swift, and still a slash for the system.
    ("../\u{301}escaped", "escaped"), ("a\\\u{fe0f}b", "b"), ("\n\u{301}\u{200d}c", "c"), ("/\u{301}", "_"),
  ]) func receivedNamesAreHarmless(_ name: String, _ expected: String) {
    #expect(FileRules.receivedName(name) == expected)
  }

  @Test func longNamesAreShortened() {
    let name = FileRules.receivedName(String(repeating: "ä", count: 500) + ".tar.gz")
    #expect(name.utf8.count <= 200 && name.hasSuffix("ä.gz"))
    #expect(FileRules.receivedName("a." + String(repeating: "x", count: 500)).utf8.count <= 200)
  }

  /// A single character may be longer than a name.
  @Test(arguments: ["", ".jpg", "."]) func namesOfOneCharacterAreShortened(_ ending: String) {
    let name = FileRules.receivedName("a" + String(repeating: "\u{301}", count: 2_000) + ending)
    #expect(name.utf8.count <= 200 && name.unicodeScalars.first == "a" && name.hasSuffix(ending))
  }

  @Test func numbersStandBeforeExtensions() {
    #expect(FileRules.numbered("photo.jpg", 0) == "photo.jpg")
    #expect(FileRules.numbered("archive.tar.gz", 12) == "archive_12.tar.gz")
    #expect(FileRules.numbered("readme", 1) == "readme_1")
    #expect(FileRules.name(ofPath: "/a/b/c.txt") == "c.txt" && FileRules.name(ofPath: "c.txt") == "c.txt")
  }

  @Test(arguments: [0, 1, 13_999, 14_000, 14_001, 42_000, 50_000]) func descriptionsAreJoinedAgain(_ size: Int) throws {
    let text = String((0..<size).map { Character(UnicodeScalar(UInt8(33 + $0 % 90))) })
    let parts = FileRules.parts(of: text)
    #expect(parts.map(\.fileDescrPartNo) == Array(1...max(1, (size + 13_999) / 14_000)))
    #expect(parts.map(\.fileDescrComplete) == parts.indices.map { $0 == parts.count - 1 })
    #expect(parts.allSatisfy { $0.fileDescrText.count <= 14_000 })
    var known = RcvFileDescr(fileDescrId: 1, fileDescrText: "", fileDescrPartNo: 0, fileDescrComplete: false)
    for part in parts { known = try FileRules.appending(part, to: known) }
    #expect(known.fileDescrText == text && known.fileDescrComplete)
  }

  @Test func otherPartsAreRefused() {
    let known = RcvFileDescr(fileDescrId: 1, fileDescrText: "a", fileDescrPartNo: 2, fileDescrComplete: false)
    func isRefused(_ part: Int, text: String = "b", of known: RcvFileDescr) -> Bool {
      let part = FileDescr(fileDescrText: text, fileDescrPartNo: part, fileDescrComplete: false)
      return (try? FileRules.appending(part, to: known)) == nil
    }
    #expect(!isRefused(3, of: known))
    #expect(isRefused(2, of: known) && isRefused(4, of: known))
    #expect(isRefused(3, text: String(repeating: "x", count: 1 << 20), of: known))
    var complete = known
    complete.fileDescrComplete = true
    #expect(isRefused(3, of: complete))
    var last = known
    last.fileDescrPartNo = 1_024
    #expect(isRefused(1_025, of: last))
    #expect(throws: StoreError.rcvFileInvalidDescrPart) {
      try FileRules.check(first: FileDescr(fileDescrText: "", fileDescrPartNo: 1, fileDescrComplete: false))
    }
  }

  @Test func problemsOfForwardingHaveAnOrder() {
    #expect(ForwardProblem(.rcvInvitation) == .notAccepted && ForwardProblem(.rcvAborted) == .notAccepted)
    #expect(ForwardProblem(.rcvTransfer(rcvProgress: 1, rcvTotal: 2)) == .inProgress)
    #expect(ForwardProblem(.rcvCancelled) == .failed && ForwardProblem(.rcvComplete) == nil)
    #expect(ForwardProblem(.sndError(sndFileError: .auth)) == nil)
    #expect([ForwardProblem.missing, .failed, .inProgress, .notAccepted].min() == .notAccepted)
  }
}
