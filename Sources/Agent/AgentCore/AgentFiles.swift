import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

/// A file that the agent sends or receives: 16 random bytes, drawn by the application, so that it can repeat its
/// commands.
public struct AgentFileID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  /// An identifier of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// The size of identifiers that are drawn.
  public static let randomSize = 16
  /// Draws an identifier.
  public init(using random: inout some RandomSource) { bytes = random.bytes(Self.randomSize) }
  /// Draws an identifier.
  public static func random(using random: inout some RandomSource) -> AgentFileID { AgentFileID(using: &random) }
  /// The bytes in base64url, as the API names files of the agent.
  public var text: String { Base64URL.string(bytes) }
}

/// A file relay of a user.
public struct AgentFileServer: Hashable, Sendable {
  /// Its address, with its password.
  public var address: ServerWithAuth<XFTPScheme>
  /// Whether files are uploaded there.
  public var storesFiles: Bool

  /// A relay to which files are uploaded unless said otherwise.
  public init(_ address: ServerWithAuth<XFTPScheme>, storesFiles: Bool = true) {
    self.address = address
    self.storesFiles = storesFiles
  }
}

extension AgentError {
  /// An error of a file relay, or of the way to it.
  public enum FileServerProblem: Hashable, Sendable {
    /// It answered with this error (reference: XFTP).
    case relay(XFTPErrorType)
    /// It cannot be reached, or the connection was lost (reference: BROKER NETWORK).
    case network(NetworkError)
    /// It did not answer in time (reference: BROKER TIMEOUT).
    case timeout
    /// None of its hosts can be used with the settings of the network (reference: BROKER HOST).
    case noHost
    /// There is no common version of the protocol (reference: BROKER TRANSPORT TEVersion).
    case version
    /// What it answered makes no sense (reference: BROKER UNEXPECTED); the text says what.
    case unexpected(String)
  }

  /// An error of a file.
  public enum FileProblem: Hashable, Sendable {
    /// A relay is neither the user's nor approved, and would learn the address of this device (NOT_APPROVED).
    case notApproved
    /// The file is too large to be sent (SIZE).
    case tooLarge
    /// The description that a redirect leads to is not the announced one (REDIRECT); the text says why.
    case redirect(String)
    /// A local file cannot be read or written, or the content is not authentic (FILE_IO); the text says why.
    case local(String)
    /// There is no such file, or it was deleted (NO_FILE).
    case missing
    /// The downloaded form has another size or digest than described (XFTP without a server).
    case damaged(XFTPErrorType)
  }
}

extension AgentError.FileServerProblem {
  /// Whether trying again later may help.
  public var isTemporary: Bool {
    switch self {
    case .network, .timeout: true
    case .relay(let error): error == .TIMEOUT || error == .INTERNAL || error == .SESSION || error == .HANDSHAKE
    case .noHost, .version, .unexpected: false
    }
  }

  /// Whether the relay cannot be used at all for now.
  public var isHostError: Bool { self == .noHost || self == .version }
}
