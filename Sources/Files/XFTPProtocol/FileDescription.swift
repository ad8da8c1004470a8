import SMPProtocol
import SimplexCrypto
import WireCodec

/// All that is needed to download a file, or to delete it: the keys, and the places of its chunks. Source: xftp.md,
/// "File description".
///
/// Whoever has it can read the file.
public struct FileDescription: Equatable, Sendable {
  /// Whether it is for recipients, or for the sender, who deletes the file with it.
  public var party: FileParty
  /// The size of the encrypted form in bytes: the sum of the chunks.
  public var size: Int64
  /// The SHA-512 of the whole encrypted form; 64 bytes, but not checked here.
  public var digest: [UInt8]
  /// The key of the encrypted form.
  public var key: BoxKey
  /// The nonce of the encrypted form.
  public var nonce: BoxNonce
  /// The size of chunks that have no size of their own in the text, in bytes.
  public var chunkSize: UInt32
  /// The chunks in order, numbered from 1.
  public var chunks: [FileChunk]
  /// The file to which this one leads: its content is then another description.
  public var redirect: FileRedirect?

  /// A description of its members, not validated.
  public init(
    party: FileParty, size: Int64, digest: [UInt8], key: BoxKey, nonce: BoxNonce, chunkSize: UInt32,
    chunks: [FileChunk], redirect: FileRedirect? = nil
  ) {
    self.party = party
    self.size = size
    self.digest = digest
    self.key = key
    self.nonce = nonce
    self.chunkSize = chunkSize
    self.chunks = chunks
    self.redirect = redirect
  }

  /// Why a description is refused.
  public enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    /// The chunks are not numbered from 1 without gaps.
    case chunkNumbers
    /// The sizes of the chunks do not add up to the size of the file.
    case size
    /// Replicas of this chunk differ in size or digest.
    case replicas(chunk: Int)
    /// No replica of this chunk has a digest.
    case noDigest(chunk: Int)
    /// It belongs to the other party.
    case party
    /// This chunk has no bytes.
    case emptyChunk(Int)
    /// A replica of this chunk is at no possible relay, or has no possible identifier.
    case replica(chunk: Int)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .chunkNumbers: "chunk numbers are not sequential"
      case .size: "chunks total size is different than file size"
      case .replicas: "different size or digest in chunk replicas"
      case .noDigest: "no digest for chunk"
      case .party: "the description belongs to the other party"
      case .emptyChunk: "a chunk has no bytes"
      case .replica: "invalid replica of chunk"
      }
    }
  }

  /// Checks that the chunks are numbered from 1, that they have bytes, that their sizes add up, and that relays and
  /// identifiers have lengths that the protocol can express.
  public func validate() throws(Invalid) {
    guard chunks.enumerated().allSatisfy({ $0 + 1 == $1.number }) else { throw .chunkNumbers }
    var sum: Int64 = 0
    for chunk in chunks {
      guard chunk.size > 0 else { throw .emptyChunk(chunk.number) }
      guard chunk.replicas.allSatisfy(\.isPossible) else { throw .replica(chunk: chunk.number) }
      let (next, overflow) = sum.addingReportingOverflow(Int64(chunk.size))
      guard !overflow else { throw .size }
      sum = next
    }
    guard sum == size else { throw .size }
  }
}

/// A part of the encrypted form of a file.
public struct FileChunk: Equatable, Sendable {
  /// The number, from 1 on.
  public var number: Int
  /// The size in bytes.
  public var size: UInt32
  /// The SHA-256 of the chunk.
  public var digest: [UInt8]
  /// The relays that have it, the preferred one first.
  public var replicas: [FileReplica]

  public init(number: Int, size: UInt32, digest: [UInt8], replicas: [FileReplica]) {
    self.number = number
    self.size = size
    self.digest = digest
    self.replicas = replicas
  }
}

/// A copy of a chunk at a relay.
public struct FileReplica: Equatable, Sendable {
  /// The relay.
  public var server: XFTPServer
  /// The identifier of the party at the relay.
  public var id: EntityID
  /// The key that authorizes the party's commands.
  public var key: AuthorizationPrivateKey

  public init(server: XFTPServer, id: EntityID, key: AuthorizationPrivateKey) {
    self.server = server
    self.id = id
    self.key = key
  }

  /// Whether everything in it has a length that the protocol can express: texts may say anything.
  fileprivate var isPossible: Bool {
    server.keyHash.count == 32 && server.hosts.count <= 255 && id.bytes.count <= 255
      && server.hosts.allSatisfy { $0.description.utf8.count <= 255 }
  }
}

/// The file to which a description leads.
public struct FileRedirect: Hashable, Sendable {
  /// The size of its encrypted form in bytes.
  public var size: Int64
  /// The SHA-512 of its encrypted form.
  public var digest: [UInt8]

  public init(size: Int64, digest: [UInt8]) {
    self.size = size
    self.digest = digest
  }
}
