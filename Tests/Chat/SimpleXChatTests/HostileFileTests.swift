import ChatProtocol
import Foundation
import SMPProtocol
import SimpleXChat
import SimplexCrypto
import SimplexJSON
import Testing
import WireCodec
import XFTPProtocol

/// What a contact says of files.
@Suite struct HostileFileTests {
  private static let announced = #"{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}"#

  private static func message(_ id: String, name: String = "a.txt", size: Int = 5, description: String = announced)
    -> String
  {
    let name = JSONValue.string(name).jsonText()
    return
      #"{"v":"1-16","msgId":"\#(id)","event":"x.msg.new","params":{"content":{"type":"file","text":"\#(id)"},"#
      + #""file":{"fileName":\#(name),"fileSize":\#(size),"fileDescr":\#(description)}}}"#
  }

  private static func part(_ number: Int, of id: String, _ text: String, isLast: Bool = false) -> String {
    #"{"v":"1-16","event":"x.msg.file.descr","params":{"msgId":"\#(id)","fileDescr":{"fileDescrText":"#
      + "\(JSONValue.string(text).jsonText()),"
      + #""fileDescrPartNo":\#(number),"fileDescrComplete":\#(isLast)}}}"#
  }

  /// A description of a file at a relay that nobody knows.
  private static func description(size: Int64) throws -> String {
    var random = SystemRandom()
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let replica = FileReplica(
      server: XFTPServer(host, port: 1, keyHash: random.bytes(32)), id: EntityID(random.bytes(24)),
      key: .ed25519(Ed25519.PrivateKey(using: &random)))
    var chunks: [XFTPProtocol.FileChunk] = []
    var rest = size
    while rest > 0 {
      let part = UInt32(min(rest, 4 << 20))
      chunks.append(
        XFTPProtocol.FileChunk(number: chunks.count + 1, size: part, digest: random.bytes(32), replicas: [replica]))
      rest -= Int64(part)
    }
    return try FileDescription(
      party: .recipient, size: size, digest: random.bytes(64), key: BoxKey(using: &random),
      nonce: BoxNonce(using: &random), chunkSize: 4 << 20, chunks: chunks
    ).text
  }

  private func connected(
    pq: Bool = true, options: @escaping (inout ChatOptions) -> Void = { _ in },
    _ body: (TestCore, HostilePeer, TestWorld) async throws -> Void
  ) async throws {
    try await HostileContact.play(pq: pq, options: options) { contact in
      _ = try await contact.alice.run("/_files_folder \(contact.world.folder.path)/files")
      try await body(contact.alice, contact.mallory, contact.world)
    }
  }

  private func file(_ alice: TestCore, _ id: String) async throws -> JSONValue {
    let event = try await alice.event("newChatItems") {
      $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == id
    }
    return event["chatItems"]?[0]?["chatItem"]?["file"] ?? .null
  }

  @Test func namesStayInTheirFolder() async throws {
    try await connected { alice, mallory, world in
      let names = [
        "../../escaped", "/etc/passwd", "", "..", "line\nbreak", String(repeating: "x", count: 3_000),
        // A mark after a slash makes it another character for Swift, and not for the system.
        "../\u{301}escaped", "a" + String(repeating: "\u{301}", count: 1_000),
      ]
      for (index, name) in names.enumerated() {
        try await mallory.send(Self.message("AAA\(index)", name: name))
        let file = try await file(alice, "AAA\(index)")
        let shown = file["fileName"]?.stringValue ?? "/"
        #expect(!shown.isEmpty && !shown.utf8.contains(UInt8(ascii: "/")) && shown.utf8.count <= 200 && shown != "..")
        let accepted = try await alice.run("/freceive \(file["fileId"]?.integerValue ?? 0)")
        let path = accepted["chatItem"]?["chatItem"]?["file"]?["fileSource"]?["filePath"]?.stringValue ?? "/"
        #expect(FileManager.default.fileExists(atPath: "\(world.folder.path)/files/\(path)"))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/files").count == names.count)
    }
  }

  @Test func filesWithoutContentAreRefused() async throws {
    try await connected { alice, mallory, _ in
      for size in [0, -1] {
        try await mallory.send(Self.message("AAAA", size: size))
        #expect(try await alice.event("error")["errorType"]?["type"]?.stringValue == "fileSize")
      }
      try await mallory.send(
        Self.message("AAAA", description: #"{"fileDescrText":"","fileDescrPartNo":1,"fileDescrComplete":false}"#))
      #expect(
        try await alice.event("errorStore")["storeError"]?["type"]?.stringValue == "rcvFileInvalidDescrPart")
    }
  }

  /// Parts come in any order, before and after the message; each counts once.
  @Test func descriptionsComeInAnyOrder() async throws {
    try await connected { alice, mallory, _ in
      try await mallory.send(Self.part(2, of: "AAAA", "two "))
      try await mallory.send(Self.part(1, of: "AAAA", "one "))
      try await mallory.send(Self.message("AAAA"))
      _ = try await file(alice, "AAAA")
      try await mallory.send(Self.part(4, of: "AAAA", "four", isLast: true))
      try await mallory.send(Self.part(1, of: "AAAA", "again "))
      try await mallory.send(Self.part(3, of: "AAAA", "three "))
      let ready = try await alice.event("rcvFileDescrReady")
      #expect(ready["rcvFileDescr"]?["fileDescrText"]?.stringValue == "one two three four")
      let id = ready["rcvFileTransfer"]?["fileId"]?.integerValue ?? 0
      // It describes nothing.
      #expect(
        try await alice.answer("/freceive \(id)")["errorType"]?["type"]?.stringValue == "invalidFileDescription")
      #expect(try await alice.answer("/freceive \(id)")["errorType"]?["type"]?.stringValue == "fileCancelled")
      try await mallory.send(Self.part(0, of: "AAAA", "zero"))
      #expect(
        try await alice.event("errorStore")["storeError"]?["type"]?.stringValue == "rcvFileInvalidDescrPart")
    }
  }

  /// Neither a file that is larger than announced nor one from an unknown relay is received; the latter if the user
  /// approves.
  @Test func filesAreAsAnnounced() async throws {
    try await connected { alice, mallory, world in
      let large = try Self.description(size: 20 << 20)
      try await mallory.send(Self.message("AAAA", size: 1_000))
      let first = try await file(alice, "AAAA")["fileId"]?.integerValue ?? 0
      try await mallory.send(Self.part(1, of: "AAAA", large, isLast: true))
      _ = try await alice.event("rcvFileDescrReady")
      #expect(try await alice.answer("/freceive \(first)")["errorType"]?["type"]?.stringValue == "fileRcvChunk")

      try await mallory.send(Self.message("AAAB", size: 1_000))
      let second = try await file(alice, "AAAB")["fileId"]?.integerValue ?? 0
      try await mallory.send(Self.part(1, of: "AAAB", try Self.description(size: 65_536), isLast: true))
      _ = try await alice.event("rcvFileDescrReady")
      let refused = try await alice.answer("/freceive \(second)")
      #expect(refused["errorType"]?["type"]?.stringValue == "fileNotApproved")
      #expect(refused["errorType"]?["unknownServers"]?.arrayValue?.count == 1)
      _ = try await alice.event("chatItemUpdated") {
        $0["chatItem"]?["chatItem"]?["file"]?["fileStatus"]?["type"]?.stringValue == "rcvInvitation"
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/files").isEmpty)
      let approved = try await alice.run("/freceive \(second) approved_relays=on")
      #expect(approved["type"]?.stringValue == "rcvFileAccepted")
      _ = try await alice.event("rcvFileStart")
    }
  }

  /// A file that is received through a proxy can be accepted again when there is none any more.
  @Test func filesNeedApprovalWithoutTheProxy() async throws {
    try await connected { alice, mallory, world in
      try await mallory.send(Self.message("AAAA", size: 1_000))
      let id = try await file(alice, "AAAA")["fileId"]?.integerValue ?? 0
      try await mallory.send(Self.part(1, of: "AAAA", try Self.description(size: 65_536), isLast: true))
      _ = try await alice.event("rcvFileDescrReady")
      try await alice.setNetwork(proxy: "127.0.0.1:1")
      _ = try await alice.run("/freceive \(id)")
      _ = try await alice.event("rcvFileStart")
      try await alice.setNetwork()
      _ = try await alice.event("chatItemUpdated") {
        $0["chatItem"]?["chatItem"]?["file"]?["fileStatus"]?["type"]?.stringValue == "rcvAborted"
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/files").isEmpty)
      #expect(try await alice.answer("/freceive \(id)")["errorType"]?["type"]?.stringValue == "fileNotApproved")
    }
  }

  /// The encrypted form of a file may be 10 MB larger than announced, and not more; an announcement counts up to 5 GB.
  @Test(
    arguments: [
      (1 << 20, 11 << 20, true), (1 << 20, 11 << 20 + 65_536, false), (5 << 30, 5 << 30 + 10 << 20, true),
      (6 << 30, 5 << 30 + 10 << 20 + 65_536, false),
    ] as [(Int, Int64, Bool)]) func descriptionsMayBeSomewhatLarger(
      _ announced: Int, _ size: Int64, _ isAccepted: Bool
    ) async throws
  {
    try await connected { alice, mallory, world in
      let description = try Self.description(size: size)
      try await mallory.send(Self.message("AAAA", size: announced))
      let id = try await file(alice, "AAAA")["fileId"]?.integerValue ?? 0
      var rest = description[...]
      var count = 0
      while !rest.isEmpty {
        let part = String(rest.prefix(6_000))
        rest = rest.dropFirst(part.count)
        count += 1
        try await mallory.send(Self.part(count, of: "AAAA", part, isLast: rest.isEmpty))
      }
      _ = try await alice.event("rcvFileDescrReady")
      // Its relay is unknown: what is not too large is asked about.
      let answer = try await alice.answer("/freceive \(id)")["errorType"]?["type"]?.stringValue
      #expect(answer == (isAccepted ? "fileNotApproved" : "fileRcvChunk"), "\(count) parts")
    }
  }

  // MARK: Files in messages, as old clients send them

  private static func inline(_ id: String, size: Int, mode: String, content: String = #"{"type":"file","text":""}"#)
    -> String
  {
    #"{"v":"1-16","msgId":"\#(id)","event":"x.msg.new","params":{"content":\#(content),"#
      + #""file":{"fileName":"a.bin","fileSize":\#(size),"fileInline":"\#(mode)"}}}"#
  }

  private static func chunk(_ number: UInt8, of id: String, _ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
    let id = try #require(SharedMsgId(text: id))
    let element = MessageElement(
      .fileChunk(InlineFileChunk(msgId: id, part: .data(number: number, bytes: Array(bytes)))))
    return try element.encoded()
  }

  private func announced(_ alice: TestCore) async throws -> JSONValue {
    try await alice.event("newChatItems") { $0["chatItems"]?[0]?["chatItem"]?["file"] != nil }["chatItems"]?[0]?[
      "chatItem"]?["file"] ?? .null
  }

  /// One that is asked for comes in parts; a voice message comes without being asked for, and may be encrypted.
  @Test func filesInMessagesAreReceived() async throws {
    try await connected(pq: false) { alice, mallory, world in
      let content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try await mallory.send(Self.inline("AAAA", size: content.count, mode: "offer"))
      let id = try await announced(alice)["fileId"]?.integerValue ?? 0
      _ = try await alice.run("/freceive \(id) \(world.folder.path)/received.bin")
      try await mallory.send(try Self.chunk(1, of: "AAAA", content[..<15_780]))
      _ = try await alice.event("rcvFileStart")
      try await mallory.send(try Self.chunk(1, of: "AAAA", content[..<15_780]))
      try await mallory.send(try Self.chunk(2, of: "AAAA", content[15_780...]))
      _ = try await alice.event("rcvFileComplete")
      #expect(try Array(Data(contentsOf: world.folder.appending(path: "received.bin"))) == content)

      _ = try await alice.run("/_files_encrypt on")
      let voice = #"{"type":"voice","text":"","duration":3}"#
      try await mallory.send(Self.inline("AAAB", size: 5_000, mode: "sent", content: voice))
      let file = try await announced(alice)
      #expect(file["fileStatus"]?["type"]?.stringValue == "rcvAccepted")
      try await mallory.send(try Self.chunk(1, of: "AAAB", content[..<5_000]))
      _ = try await alice.event("rcvFileComplete")
      let source = file["fileSource"]
      let encryption = try LocalFile.Encryption(
        fileKey: source?["cryptoArgs"]?["fileKey"]?.stringValue ?? "",
        fileNonce: source?["cryptoArgs"]?["fileNonce"]?.stringValue ?? "")
      let path = "\(world.folder.path)/files/\(source?["filePath"]?.stringValue ?? "")"
      #expect(try LocalFile(path: path, encryption: encryption).contents() == Array(content[..<5_000]))
    }
  }

  /// A voice message is shown although there is no place for its file.
  @Test func voiceMessagesWithoutAPlaceAreShown() async throws {
    try await connected(pq: false) { alice, mallory, world in
      try FileManager.default.removeItem(atPath: world.folder.path + "/files")
      let voice = #"{"type":"voice","text":"","duration":3}"#
      try await mallory.send(Self.inline("AAAA", size: 5_000, mode: "sent", content: voice))
      #expect(try await alice.event("error")["errorType"]?["type"]?.stringValue == "fileWrite")
      #expect(try await announced(alice)["fileStatus"]?["type"]?.stringValue == "rcvInvitation")
    }
  }

  /// A program that is killed after a file was encrypted, and before that is stored, gets the last part again.
  @Test func filesInMessagesAreEncryptedOnce() async throws {
    try await connected(pq: false) { alice, mallory, world in
      let content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try await mallory.send(Self.inline("AAAA", size: content.count, mode: "offer"))
      let id = try await announced(alice)["fileId"]?.integerValue ?? 0
      let accepted = try await alice.run("/freceive \(id) encrypt=on")
      let source = accepted["chatItem"]?["chatItem"]?["file"]?["fileSource"]
      let file = LocalFile(
        path: "\(world.folder.path)/files/\(source?["filePath"]?.stringValue ?? "")",
        encryption: try LocalFile.Encryption(
          fileKey: source?["cryptoArgs"]?["fileKey"]?.stringValue ?? "",
          fileNonce: source?["cryptoArgs"]?["fileNonce"]?.stringValue ?? ""))
      try await mallory.send(try Self.chunk(1, of: "AAAA", content[..<15_780]))
      _ = try await alice.event("rcvFileStart")
      try file.write(content)
      try await mallory.send(try Self.chunk(2, of: "AAAA", content[15_780...]))
      _ = try await alice.event("rcvFileComplete")
      #expect(try file.contents() == content)
      #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/files").count == 1)
    }
  }

  /// A file that cannot be received without being asked for is tried with the next start, and not with each message.
  @Test func failedFilesAreNotTriedWithEachMessage() async throws {
    try await connected(options: { $0.autoAcceptFileSize = 1_000 }) { alice, mallory, world in
      let files = world.folder.path + "/files"
      try FileManager.default.removeItem(atPath: files)
      try Data().write(to: URL(filePath: files))
      try await mallory.send(Self.message("AAAA"))
      let first = try await file(alice, "AAAA")["fileId"]?.integerValue
      _ = try await alice.event("error")
      try FileManager.default.removeItem(atPath: files)
      try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
      try await mallory.send(Self.message("AAAB"))
      let second = try await file(alice, "AAAB")["fileId"]?.integerValue
      let accepted = try await alice.event("rcvFileAccepted")
      #expect(accepted["chatItem"]?["chatItem"]?["file"]?["fileId"]?.integerValue == second)
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/_start")
      let later = try await alice.event("rcvFileAccepted")
      #expect(later["chatItem"]?["chatItem"]?["file"]?["fileId"]?.integerValue == first)
    }
  }

  /// Parts that nobody asked for, out of order or of a wrong size are refused.
  @Test func partsAreAsExpected() async throws {
    try await connected(pq: false) { alice, mallory, world in
      let content = [UInt8](repeating: 1, count: 20_000)
      for (id, number, size) in [("AAAA", UInt8(2), 4_220), ("AAAC", 1, 100)] {
        try await mallory.send(Self.inline(id, size: content.count, mode: "offer"))
        let file = try await announced(alice)["fileId"]?.integerValue ?? 0
        try await mallory.send(try Self.chunk(1, of: id, content[..<100]))
        #expect(try await alice.event("error")["errorType"]?["type"]?.stringValue == "inlineFileProhibited")
        _ = try await alice.run("/freceive \(file)")
        try await mallory.send(try Self.chunk(number, of: id, content[..<size]))
        #expect(try await alice.event("error")["errorType"]?["type"]?.stringValue == "fileRcvChunk")
        #expect(try await alice.answer("/freceive \(file)")["errorType"]?["type"]?.stringValue == "fileCancelled")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/files").isEmpty)
      try await mallory.send(Self.inline("AAAB", size: 1 << 20, mode: "offer"))
      let large = try await announced(alice)["fileId"]?.integerValue ?? 0
      #expect(try await alice.answer("/freceive \(large)")["errorType"]?["type"]?.stringValue == "exception")
    }
  }

  @Test func onlyFilesCanBeCancelled() async throws {
    try await connected { alice, mallory, _ in
      try await mallory.send(#"{"v":"1-16","event":"x.file.cancel","params":{"msgId":"AAAA"}}"#)
      #expect(
        try await alice.event("errorStore")["storeError"]?["type"]?.stringValue == "fileIdNotFoundBySharedMsgId")
      try await mallory.send(Self.message("AAAA"))
      let id = try await file(alice, "AAAA")["fileId"]?.integerValue ?? 0
      try await mallory.send(#"{"v":"1-16","event":"x.file.cancel","params":{"msgId":"AAAA"}}"#)
      _ = try await alice.event("rcvFileSndCancelled")
      #expect(try await alice.answer("/freceive \(id)")["errorType"]?["type"]?.stringValue == "fileCancelled")
    }
  }
}
