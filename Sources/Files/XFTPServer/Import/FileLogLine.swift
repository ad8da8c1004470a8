import ChunkStore
import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

/// A line of the reference server's store log, `file-server-store.log`: the creation or a change of one chunk.
///
/// Words are separated by single spaces; keys, identifiers, digests and paths are base64url, times seconds since 1970.
enum FileLogLine {
  /// A new chunk without recipients; `isOff` where nobody may use it.
  case create(NewChunk, blocked: BlockingInfo?, isOff: Bool)
  /// The bytes of a chunk are in the file with this path.
  case upload(EntityID, path: String)
  /// More recipients of a chunk.
  case add(EntityID, [ChunkRecipient])
  /// A chunk was deleted.
  case delete(EntityID)
  /// A chunk was blocked.
  case block(EntityID, BlockingInfo)
  /// A recipient needs its chunk no more.
  case acknowledge(EntityID)

  /// Reads a line; nil where it is malformed.
  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard words.count >= 2, let id = Self.identifier(words[1]) else { return nil }
    let rest = words.count > 2 ? words[2] : nil
    switch (words[0], rest) {
    case ("FNEW", let rest?):
      guard let line = Self.creation(of: id, rest) else { return nil }
      self = line
    case ("FPUT", let rest?):
      guard let path = Base64URL.decode(rest), !path.isEmpty else { return nil }
      self = .upload(id, path: String(decoding: path, as: UTF8.self))
    case ("FADD", let rest?):
      let texts = rest.split(separator: ",", omittingEmptySubsequences: false)
      let recipients = texts.compactMap(Self.recipient)
      guard recipients.count == texts.count else { return nil }
      self = .add(id, recipients)
    case ("FBLK", let rest?):
      guard let info = Self.blocking(rest) else { return nil }
      self = .block(id, info)
    case ("FDEL", nil): self = .delete(id)
    case ("FACK", nil): self = .acknowledge(id)
    default: return nil
    }
  }

  /// The key, the size, the digest, the time, and the status where it was written by a newer version.
  private static func creation(of id: EntityID, _ text: String) -> FileLogLine? {
    let words = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
    guard words.count >= 4, let key = try? AuthorizationKey.textCodec.decode(text: words[0]),
      let size = UInt32(words[1]), size > 0, let digest = Base64URL.decode(words[2]), let time = Int64(words[3])
    else { return nil }
    let status = words.count > 4 ? words[4] : "active"
    var blocked: BlockingInfo?
    if status.hasPrefix("blocked,") {
      blocked = blocking(String(status.dropFirst("blocked,".count)))
      if blocked == nil { return nil }
    } else if status != "active", status != "off" {
      return nil
    }
    return .create(
      NewChunk(
        senderID: id, info: ChunkInfo(senderKey: key, size: size, digest: digest), createdAt: time, recipients: []),
      blocked: blocked, isOff: status == "off")
  }

  private static func identifier(_ text: some StringProtocol) -> EntityID? {
    Base64URL.decode(String(text)).flatMap { $0.isEmpty ? nil : EntityID($0) }
  }

  private static func recipient(_ text: Substring) -> ChunkRecipient? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = identifier(parts[0]),
      let key = try? AuthorizationKey.textCodec.decode(text: String(parts[1]))
    else { return nil }
    return ChunkRecipient(id: id, key: key)
  }

  private static func blocking(_ text: String) -> BlockingInfo? { try? BlockingInfo.codec.decode(Array(text.utf8)) }
}
