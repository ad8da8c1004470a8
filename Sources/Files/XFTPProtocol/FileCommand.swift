import SMPProtocol
import SimplexCrypto
import WireCodec

/// A command of a client to a file relay. Source: xftp.md, "XFTP commands".
public enum FileCommand: Hashable, Sendable {
  /// Creates a chunk.
  case fnew(NewChunkRequest)
  /// Adds recipients to a chunk; one to 255 keys.
  case fadd([AuthorizationKey])
  /// Uploads the chunk, which follows the block.
  case fput
  /// Deletes the chunk.
  case fdel
  /// Downloads the chunk; carries the recipient's key for the box that it is sent in.
  case fget(X25519.PublicKey)
  /// The recipient has the chunk, and needs it no more.
  case fack
  /// Keeps the connection alive.
  case ping
}

/// The party that a command or a file description belongs to.
public enum FileParty: String, Hashable, Sendable, CaseIterable {
  case recipient
  case sender
}

/// The parameters of FNEW.
public struct NewChunkRequest: Hashable, Sendable {
  /// The chunk.
  public var chunk: ChunkInfo
  /// The keys that authorize the recipients' commands; one to 255 of them.
  public var recipientKeys: [AuthorizationKey]
  /// The relay's password for uploads, if it has one.
  public var basicAuth: BasicAuth?

  /// A request of its parameters.
  public init(chunk: ChunkInfo, recipientKeys: [AuthorizationKey], basicAuth: BasicAuth? = nil) {
    self.chunk = chunk
    self.recipientKeys = recipientKeys
    self.basicAuth = basicAuth
  }

  static let codec = Codec<NewChunkRequest>.record(
    Field("chunk", \.chunk, ChunkInfo.codec),
    Field("recipientKeys", \.recipientKeys, AuthorizationKey.codec.nonEmptyList),
    Field("basicAuth", \.basicAuth, BasicAuth.codec.optional),
    build: { NewChunkRequest(chunk: $0, recipientKeys: $1, basicAuth: $2) })
}

/// The properties of a chunk that its sender declares.
public struct ChunkInfo: Hashable, Sendable {
  /// The key that authorizes the sender's commands, beginning with FNEW.
  public var senderKey: AuthorizationKey
  /// The size in bytes.
  public var size: UInt32
  /// The SHA-256 of the chunk; 32 bytes, but not checked here.
  public var digest: [UInt8]

  /// A chunk of its properties.
  public init(senderKey: AuthorizationKey, size: UInt32, digest: [UInt8]) {
    self.senderKey = senderKey
    self.size = size
    self.digest = digest
  }

  /// Key, size, and digest with a 1-byte length.
  public static let codec = Codec<ChunkInfo>.record(
    Field("senderKey", \.senderKey, AuthorizationKey.codec), Field("size", \.size, Codec<UInt32>.integer),
    Field("digest", \.digest, Codec<[UInt8]>.short),
    build: { ChunkInfo(senderKey: $0, size: $1, digest: $2) })
}

extension FileCommand: ProtocolMessage {
  /// The party that sends it.
  public typealias Role = FileParty

  /// The forms of all commands.
  public static let forms = MessageForms<FileCommand>([
    fnewForm, faddForm, fputForm, fdelForm, fgetForm, fackForm, pingForm,
  ])

  /// The form of this command.
  public var form: MessageForm<FileCommand> {
    switch self {
    case .fnew: Self.fnewForm
    case .fadd: Self.faddForm
    case .fput: Self.fputForm
    case .fdel: Self.fdelForm
    case .fget: Self.fgetForm
    case .fack: Self.fackForm
    case .ping: Self.pingForm
    }
  }

  private static let fnewForm = MessageForm<FileCommand>(
    "FNEW", .sender, CredentialRule(authorization: .required, entity: .forbidden), NewChunkRequest.codec,
    { .fnew($0) }, { if case .fnew(let request) = $0 { request } else { nil } })

  private static let faddForm = MessageForm<FileCommand>(
    "FADD", .sender, .both, AuthorizationKey.codec.nonEmptyList, { .fadd($0) },
    { if case .fadd(let keys) = $0 { keys } else { nil } })

  private static let fputForm = MessageForm<FileCommand>("FPUT", .sender, .both, .fput)

  private static let fdelForm = MessageForm<FileCommand>("FDEL", .sender, .both, .fdel)

  private static let fgetForm = MessageForm<FileCommand>(
    "FGET", .recipient, .both, X25519.PublicKey.codec, { .fget($0) },
    { if case .fget(let key) = $0 { key } else { nil } })

  private static let fackForm = MessageForm<FileCommand>("FACK", .recipient, .both, .fack)

  private static let pingForm = MessageForm<FileCommand>("PING", .recipient, .none, .ping)
}
