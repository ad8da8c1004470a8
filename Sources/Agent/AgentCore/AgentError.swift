import AgentProtocol
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

/// Why the agent did not do something.
public indirect enum AgentError: Error, Hashable, Sendable {
  /// The operation makes no sense in the state things are in (reference: CMD PROHIBITED); the text says why.
  case prohibited(String)
  /// A message or its parts are too large (reference: CMD LARGE); at most `limit` bytes fit.
  case tooLarge(limit: Int)
  /// There is no such user (reference: NO_USER).
  case noUser
  /// The user has no server for this.
  case noServers
  /// Something about the connection (reference: CONN).
  case connection(ConnectionProblem)
  /// A relay did not do what it was asked, or cannot be reached (reference: SMP, BROKER, PROXY).
  case server(SMPServerAddress, SMPClientError)
  /// A file relay did not do what it was asked, or cannot be reached (reference: XFTP, BROKER).
  case fileServer(XFTPServer, FileServerProblem)
  /// A notification server did not do what it was asked, or cannot be reached (reference: NTF, BROKER).
  case notificationServer(NotificationServer, SMPClientError)
  /// Something about a file (reference: FILE).
  case file(FileProblem)
  /// The peer, or what it sent (reference: AGENT).
  case peer(PeerProblem)
  /// The relay asked its users not to create queues for now (reference: NOTICE); milliseconds.
  case notice(SMPServerAddress, expiresAt: Int64?)
  /// The agent is suspended (reference: INACTIVE).
  case inactive
  /// The database failed (reference: CRITICAL).
  case store(StoreProblem)
  /// A mistake of this implementation (reference: INTERNAL).
  case internalError(String)

  /// An error of a connection.
  public enum ConnectionProblem: Hashable, Sendable {
    /// There is none with this identifier (NOT_FOUND).
    case notFound
    /// It exists already (DUPLICATE).
    case duplicate
    /// It has only one direction (SIMPLEX).
    case simplex
    /// The peer did not accept it (NOT_ACCEPTED).
    case notAccepted
    /// The peer's queue is gone, or full of requests (NOT_AVAILABLE).
    case notAvailable
  }

  /// What is wrong with the peer, or with what it sent.
  public enum PeerProblem: Hashable, Sendable {
    /// A message cannot be read (A_MESSAGE).
    case malformed(WireError)
    /// A message came when it should not (A_PROHIBITED); the text says which.
    case prohibited(String)
    /// The versions do not fit (A_VERSION).
    case version
    /// The data of a link does not match the link (A_LINK).
    case link(LinkProblem)
    /// A message cannot be decrypted (A_CRYPTO).
    case crypto(RatchetError)
    /// A box of a queue cannot be opened.
    case box(CryptoError)
    /// A message was received before (A_DUPLICATE). Not nil: it was dropped, because the application did not
    /// acknowledge it in many attempts.
    case duplicate(DroppedMessage?)
    /// Rotating a queue failed (A_QUEUE); the text says why.
    case queue(String)
    /// Both sides agreed on a new ratchet at the same time (RATCHET_SYNC).
    case ratchetSync
  }

  /// An error of a link.
  public enum LinkProblem: Hashable, Sendable {
    /// Its data was refused.
    case data(LinkDataError)
    /// Its data leads to another queue.
    case differentAddress
  }

  /// A message that was dropped.
  public struct DroppedMessage: Hashable, Sendable {
    /// When the relay had received it, in seconds.
    public var relayTime: Int64
    /// The number of its deliveries.
    public var attempts: Int64

    /// A message that was dropped.
    public init(relayTime: Int64, attempts: Int64) {
      self.relayTime = relayTime
      self.attempts = attempts
    }
  }

  /// An error of the database.
  public enum StoreProblem: Hashable, Sendable {
    /// The file's content is inconsistent.
    case damaged
    /// It is encrypted with another key, or no database.
    case wrongKey
    /// A newer program wrote it.
    case newerSchema(found: Int, known: Int)
    /// An earlier build of this program wrote it, with another schema.
    case earlierBuild
    /// The disk is full.
    case full
    /// Another process uses it.
    case busy
    /// The disk fails, or does not allow writing; a phrase for logs.
    case unavailable(String)
    /// Anything else; a phrase for logs.
    case other(String)
  }
}

extension AgentError {
  /// Whether trying again later may help: there was no connection, or no answer in time.
  public var isTemporary: Bool {
    switch self {
    case .server(_, let error), .notificationServer(_, let error): error.isTemporary
    case .fileServer(_, let error): error.isTemporary
    case .inactive: true
    case .store: isOutage
    default: false
    }
  }

  /// Whether something outside of the database kept it from reading or storing, so that the same may succeed later.
  public var isOutage: Bool {
    switch self {
    case .store(.busy), .store(.full), .store(.unavailable): true
    default: false
    }
  }

  /// Whether the relay cannot be used at all for now: none of its hosts, or no common version.
  public var isHostError: Bool {
    switch self {
    case .server(_, let error), .notificationServer(_, let error): error.isHostError
    case .fileServer(_, let error): error.isHostError
    default: false
    }
  }
}

extension SMPClientError {
  /// Whether trying again later may help.
  public var isTemporary: Bool {
    switch self {
    case .network, .timeout, .closed, .overflow, .cancelled: true
    case .relay(.PROXY(.BROKER(.NETWORK))), .relay(.PROXY(.BROKER(.TIMEOUT))), .relay(.PROXY(.NO_SESSION)): true
    case .proxy(.PROXY(.BROKER(.NETWORK))), .proxy(.PROXY(.BROKER(.TIMEOUT))), .proxy(.PROXY(.NO_SESSION)): true
    // STORE: what the command changes could not be stored, for example because the relay's disk is full.
    case .relay(.INTERNAL), .proxy(.INTERNAL), .relay(.STORE), .proxy(.STORE): true
    default: false
    }
  }

  /// Whether the relay in between is the reason, so that the direct way may work.
  public var isProxyProblem: Bool {
    switch self {
    case .proxy, .network, .noHost, .closed, .timeout: true
    default: false
    }
  }

  /// Whether the relay cannot be used at all for now.
  public var isHostError: Bool {
    switch self {
    case .noHost, .transport(.version): true
    case .relay(.PROXY(.BROKER(.HOST))), .proxy(.PROXY(.BROKER(.HOST))): true
    case .relay(.PROXY(.BROKER(.TRANSPORT(.version)))), .proxy(.PROXY(.BROKER(.TRANSPORT(.version)))): true
    default: false
    }
  }
}
