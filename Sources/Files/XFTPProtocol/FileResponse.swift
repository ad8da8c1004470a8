import SMPProtocol
import SimplexCrypto
import WireCodec

/// A response of a file relay. Source: xftp.md, "XFTP commands".
public enum FileResponse: Hashable, Sendable {
  /// The chunk was created: the identifiers of the sender and of each recipient, in the order of their keys.
  case sids(sender: EntityID, recipients: [EntityID])
  /// Recipients were added.
  case rids([EntityID])
  /// The chunk follows the block, in a box with the key of the relay and the recipient.
  case file(ChunkBox)
  /// The command succeeded.
  case ok
  /// The command failed.
  case err(XFTPErrorType)
  /// The response to PING.
  case pong
}

/// How a chunk is encrypted between relay and recipient: ciphertext of the size of the chunk, then a tag of 16 bytes.
public struct ChunkBox: Hashable, Sendable {
  /// The relay's key of this transfer.
  public var relayKey: X25519.PublicKey
  /// The nonce.
  public var nonce: BoxNonce

  public init(relayKey: X25519.PublicKey, nonce: BoxNonce) {
    self.relayKey = relayKey
    self.nonce = nonce
  }

  static let codec = Codec<ChunkBox>.record(
    Field("relayKey", \.relayKey, X25519.PublicKey.codec), Field("nonce", \.nonce, BoxNonce.codec),
    build: { ChunkBox(relayKey: $0, nonce: $1) })
}

extension FileResponse: ProtocolMessage {
  /// Responses have no additional properties.
  public typealias Role = Void

  /// The forms of all responses.
  public static let forms = MessageForms<FileResponse>([sidsForm, ridsForm, fileForm, okForm, errForm, pongForm])

  /// The form of this response.
  public var form: MessageForm<FileResponse> {
    switch self {
    case .sids: Self.sidsForm
    case .rids: Self.ridsForm
    case .file: Self.fileForm
    case .ok: Self.okForm
    case .err: Self.errForm
    case .pong: Self.pongForm
    }
  }

  /// The replacement for older clients: errors that they know.
  public func downgraded(to version: UInt16) -> FileResponse {
    if case .err(.BLOCKED) = self, version < XFTPVersion.blockedError { .err(.AUTH) } else { self }
  }

  private static let aboutEntity = CredentialRule(authorization: .optional, entity: .required)
  private static let aboutNone = CredentialRule(authorization: .optional, entity: .forbidden)

  private static let sidsForm = MessageForm<FileResponse>(
    "SIDS", (), aboutNone, EntityID.codec.pair(EntityID.codec.nonEmptyList, separator: ""),
    { .sids(sender: $0.0, recipients: $0.1) },
    { if case .sids(let sender, let recipients) = $0 { (sender, recipients) } else { nil } })

  private static let ridsForm = MessageForm<FileResponse>(
    "RIDS", (), aboutEntity, EntityID.codec.nonEmptyList, { .rids($0) },
    { if case .rids(let recipients) = $0 { recipients } else { nil } })

  private static let fileForm = MessageForm<FileResponse>(
    "FILE", (), aboutEntity, ChunkBox.codec, { .file($0) }, { if case .file(let box) = $0 { box } else { nil } })

  private static let okForm = MessageForm<FileResponse>("OK", (), aboutEntity, .ok)

  private static let errForm = MessageForm<FileResponse>(
    "ERR", (), CredentialRule(authorization: .optional, entity: .optional), XFTPErrorType.codec, { .err($0) },
    { if case .err(let error) = $0 { error } else { nil } })

  private static let pongForm = MessageForm<FileResponse>("PONG", (), aboutNone, .pong)
}
