import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec
import XFTPProtocol

@Suite("File descriptions and their links have the bytes of the reference implementation")
struct DescriptionTests {
  @Test func thereIsGoldenData() {
    #expect(cases("fileDescriptions").count == 4 && cases("fileDescriptionUris").count == 3)
  }

  @Test(arguments: cases("fileDescriptions"))
  func text(_ golden: Golden) throws {
    let party = try #require(FileParty(rawValue: try golden.string("party")))
    let members = try golden.member("description")
    let description = try members.fileDescription(party)
    #expect(try description.text == members.string("yaml"))
    #expect(try FileDescription(text: try description.text, party: party) == description)
    let other: FileParty = party == .sender ? .recipient : .sender
    #expect(throws: WireError.self) { try FileDescription(text: try description.text, party: other) }
  }

  @Test(arguments: cases("fileDescriptionUris"))
  func link(_ golden: Golden) throws {
    let description = try golden.member("description").fileDescription(.recipient)
    let uri = FileDescriptionURI(description: description, clientData: try golden["clientData"]?.string())
    let text = try golden.string("uri")
    #expect(try FileDescriptionURI.codec.text(uri) == text)
    #expect(try FileDescriptionURI.codec.decode(text: text) == uri)
    let web = try FileDescriptionURI.codec.decode(text: "https://simplex.chat/file/" + text.dropFirst(13))
    #expect(web.host == "simplex.chat" && web.description == description)
  }

  @Test(arguments: cases("fileDescriptionUris"))
  func webLink(_ golden: Golden) throws {
    let description = try golden.member("description").fileDescription(.recipient)
    let link = try #require(try FileWebLink.link(of: description))
    #expect(link.hasPrefix("https://xftp1.example.com/#"))
    #expect(try FileWebLink.description(link: link) == description)
    #expect(throws: WireError.self) { try FileWebLink.description(link: String(link.dropLast(8))) }
    #expect(throws: WireError.self) { try FileWebLink.description(link: "https://xftp1.example.com/") }
  }

  @Test func longDescriptionsAreCompressed() throws {
    let golden = try #require(cases("fileDescriptions").first).member("description")
    var description = try golden.fileDescription(.recipient)
    description.chunks = (1...100).map { number in
      var chunk = description.chunks[0]
      chunk.number = number
      return chunk
    }
    description.size = 100 * 65536
    let fragment = try FileWebLink.fragment(of: description)
    #expect(try fragment.utf8.count * 4 < description.text.utf8.count)
    #expect(try FileWebLink.description(fragment: fragment) == description)
  }

  @Test func otherSpellingsOfYAMLAreRead() throws {
    let golden = try #require(cases("fileDescriptions").first)
    let text = try golden.member("description").string("yaml")
    let expected = try FileDescription(text: text, party: .recipient)
    let respelled =
      "---\n# a comment\n\n"
      + text.split(separator: "\n").map { line in
        line.hasPrefix("size")
          ? "size: \"64kb\"" : line.hasPrefix("  - ") ? "      -   '\(line.dropFirst(4))' " : String(line)
      }.joined(separator: "\r\n") + "\nunknown:\n  - a\n  - b: c\n    d: e\n"
    #expect(try FileDescription(text: respelled, party: .recipient) == expected)
  }

  @Test func sizesOfDigitsAreQuoted() throws {
    let golden = try #require(cases("fileDescriptions").first).member("description")
    var description = try golden.fileDescription(.recipient)
    description.size = 1000
    description.chunks[0].size = 1000
    let text = try description.text
    #expect(text.hasSuffix("\nsize: '1000'\n"))
    #expect(try FileDescription(text: text, party: .recipient) == description)
    // These bytes are "null" in base64url.
    description.digest = [0x9E, 0xE9, 0x65]
    #expect(try FileDescription(text: description.text, party: .recipient) == description)
  }

  /// Members that nobody knows take no more time the more of them there are; keys differ.
  @Test(.timeLimit(.minutes(1))) func manyMembersAreRead() throws {
    let golden = try #require(cases("fileDescriptions").first)
    let text = try golden.member("description").string("yaml")
    let letters = Array("abcdefghijklmnopqrst")
    let names = (0..<160_000).map { number in
      String((0..<4).map { letters[number / [1, 20, 400, 8_000][$0] % 20] }) + "_"
    }
    let long = text + names.map { "\($0): 1\n" }.joined()
    #expect(try FileDescription(text: long, party: .recipient) == FileDescription(text: text, party: .recipient))
    #expect(throws: WireError.self) { try FileDescription(text: long + "aaaa_: 2\n", party: .recipient) }
  }

  @Test func invalidDescriptionsAreRefused() throws {
    let golden = try #require(cases("fileDescriptions").last).member("description")
    let valid = try golden.fileDescription(.recipient)
    try valid.validate()
    var gap = valid
    gap.chunks[0].number = 7
    #expect(throws: FileDescription.Invalid.chunkNumbers) { try gap.validate() }
    #expect(throws: WireError.self) { try FileDescription(text: try gap.text, party: .recipient) }
    var size = valid
    size.size += 1024
    #expect(throws: FileDescription.Invalid.size) { try size.validate() }
    var empty = valid
    var chunk = try #require(valid.chunks.last)
    chunk.number += 1
    chunk.size = 0
    empty.chunks.append(chunk)
    #expect(throws: FileDescription.Invalid.emptyChunk(chunk.number)) { try empty.validate() }
    #expect(throws: WireError.self) { try FileDescription(text: try empty.text, party: .recipient) }
    // The text may say anything; what is stored has lengths of one byte.
    var identifier = valid
    let replica = try #require(valid.chunks.first?.replicas.first)
    identifier.chunks[0].replicas = [
      FileReplica(server: replica.server, id: EntityID([UInt8](repeating: 1, count: 300)), key: replica.key)
    ]
    #expect(throws: FileDescription.Invalid.replica(chunk: 1)) { try identifier.validate() }
    let lines = try valid.text.split(separator: "\n", omittingEmptySubsequences: false)
    for dropped in ["key:", "digest:", "party:", "replicas:", "chunkSize:", "size:", "nonce:"] {
      let text = lines.filter { !$0.hasPrefix(dropped) }.joined(separator: "\n")
      #expect(throws: WireError.self) { try FileDescription(text: text, party: .recipient) }
    }
  }
}

@Suite("Chunks and headers are those of the reference implementation")
struct ChunkTests {
  @Test(arguments: cases("chunkSizes"))
  func sizes(_ golden: Golden) throws {
    let size = Int64(try golden.int("size"))
    #expect(try ChunkSizes.prepare(for: size) == golden.elements("chunkSizes").map { UInt32(try $0.int()) })
    #expect(try ChunkSizes.single(for: size) == golden["singleChunkSize"].map { UInt32(try $0.int()) })
  }

  @Test func thereIsGoldenData() {
    #expect(cases("chunkSizes").count == 24 && cases("fileHeaders").count == 3 && cases("fileSizes").count == 11)
    #expect(ChunkSizes.prepare(for: 0).isEmpty && ChunkSizes.prepare(for: -1).isEmpty)
  }

  @Test(arguments: cases("fileSizes"))
  func sizeTexts(_ golden: Golden) throws {
    let bytes = Int64(try golden.int("bytes"))
    let text = try golden.string("str")
    #expect(try FileSize.codec.text(bytes) == text)
    #expect(try FileSize.codec.decode(text: text) == bytes)
  }

  @Test(arguments: ["5gb", "4294967296", "18446744073709551615gb", "-1", "kb", ""])
  func sizesOutOfRange(_ text: String) {
    #expect(throws: WireError.self) { try FileSize.chunkCodec.decode(text: text) }
  }

  @Test(arguments: cases("fileHeaders"))
  func headers(_ golden: Golden) throws {
    let header = FileHeader(
      fileName: try golden.string("fileName"), fileExtra: try golden["fileExtra"]?.string())
    let bytes = try golden.hex("smp")
    #expect(try FileHeader.codec.encode(header) == bytes)
    let text = bytes + [1, 2, 3]
    let (read, size) = try FileHeader.read(from: text.span.bytes)
    #expect(read == header && size == bytes.count)
  }

  @Test func layoutPadsToChunks() throws {
    let header = FileHeader(fileName: "a")
    // 3 bytes of header, 8 of length, 16 of tag.
    let layout = try #require(try EncryptedFileLayout(header: header, contentSize: 65536 - 27))
    #expect(layout.chunkSizes == [65536] && layout.encryptedSize == 65536)
    let longer = try #require(try EncryptedFileLayout(header: header, contentSize: 65536 - 26))
    #expect(longer.chunkSizes == [65536, 65536] && longer.encryptedSize == 131072)
    let single = try #require(try EncryptedFileLayout(header: header, contentSize: 65536 - 26, singleChunk: true))
    #expect(single.chunkSizes == [262144])
    #expect(try EncryptedFileLayout(header: header, contentSize: 5 << 20, singleChunk: true) == nil)
    #expect(try EncryptedFileLayout(header: header, contentSize: (5 << 30) + 1) == nil)
    // The largest files fit what receivers accept for their announced size.
    for size: Int64 in [1 << 30, (5 << 30) - 1, 5 << 30] {
      let large = try #require(try EncryptedFileLayout(header: header, contentSize: size))
      #expect(large.encryptedSize > size && large.encryptedSize <= size + (10 << 20))
      #expect(large.chunkSizes.allSatisfy { ChunkSizes.all.contains($0) })
    }
    let long = FileHeader(fileName: String(repeating: "a", count: 256))
    #expect(throws: WireError.self) { try EncryptedFileLayout(header: long, contentSize: 1) }
  }

  @Test func transferBox() throws {
    let golden = try #require(xftpVectors).member("chunkTransferEncryption")
    let relayKey: X25519.PrivateKey = try golden.privateKey("serverDhPrivateDer")
    let recipientKey: X25519.PrivateKey = try golden.privateKey("recipientDhPrivateDer")
    let nonce = try BoxNonce(try golden.hex("nonce"))
    let chunk = (0..<(try golden.int("chunkLen"))).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) }
    let (ciphertext, tag) = sealed(chunk, key: try relayKey.boxKey(with: recipientKey.publicKey), nonce: nonce)
    let expected = try golden.member("transferred = ciphertext ‖ tag, no padding")
    #expect(try ciphertext.prefix(64) == expected.hex("first64")[...] && tag == expected.hex("tag"))
    #expect(try HashFunction.sha256.digest(of: ciphertext + tag) == expected.hex("sha256"))
    #expect(try recipientKey.publicKey == golden.x25519("recipientDhPublicDer"))
  }

  private func sealed(_ chunk: [UInt8], key: BoxKey, nonce: BoxNonce) -> (ciphertext: [UInt8], tag: [UInt8]) {
    var stream = BoxStream(.seal, key: key, nonce: nonce)
    let ciphertext = stream.process(chunk.span.bytes)
    return (ciphertext, stream.finish().bytes)
  }
}
