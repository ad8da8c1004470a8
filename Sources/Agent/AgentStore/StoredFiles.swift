import AgentCore
import SMPProtocol
import SimplexCrypto
import XFTPProtocol

/// A file to send.
public struct SentFile: Sendable {
  /// How far it is.
  public enum Status: Int64, Sendable {
    /// It is to be encrypted.
    case accepted
    /// Its chunks are to be uploaded.
    case uploading
    /// Relays have it, and its descriptions are to be made.
    case uploaded
    /// Its descriptions were made.
    case sent
    /// It was given up.
    case failed
    /// Nobody wants it any more; it is known until its temporary files are removed.
    case forgotten
  }

  /// What is sent.
  public enum Content: Sendable {
    /// A file of this device.
    case file(LocalFile)
    /// A description, as text.
    case description([UInt8])
  }

  /// Its number; 0 before it is inserted.
  public var number: Int64 = 0
  /// Its identifier.
  public var id: AgentFileID
  /// Whose it is.
  public var user: UserID
  /// What is sent.
  public var content: Content
  /// The name that recipients see.
  public var name: String
  /// The number of descriptions to make.
  public var recipients: Int
  /// The file to which it leads, if it is a description.
  public var redirect: FileRedirect?
  /// The secret from which the keys of its chunks are derived; 32 bytes.
  public var seed: SecretBytes
  /// The size of the encrypted form in bytes; 0 before it is made.
  public var size: Int64 = 0
  /// How many bytes of it relays have.
  public var sent: Int64 = 0
  /// How far it is.
  public var status = Status.accepted
  /// When it was accepted, in milliseconds.
  public var createdAt: Int64

  /// A new file.
  public init(
    id: AgentFileID, user: UserID, content: Content, name: String, recipients: Int, redirect: FileRedirect?,
    seed: SecretBytes, createdAt: Int64
  ) {
    self.id = id
    self.user = user
    self.content = content
    self.name = name
    self.recipients = recipients
    self.redirect = redirect
    self.seed = seed
    self.createdAt = createdAt
  }
}

/// The encrypted form of a file to send.
public struct EncryptedForm: Sendable {
  /// Its key.
  public var key: BoxKey
  /// Its nonce.
  public var nonce: BoxNonce
  /// Its SHA-512.
  public var digest: [UInt8]
  /// Its size in bytes.
  public var size: Int64

  /// An encrypted form.
  public init(key: BoxKey, nonce: BoxNonce, digest: [UInt8], size: Int64) {
    self.key = key
    self.nonce = nonce
    self.digest = digest
    self.size = size
  }
}

/// A chunk of a file to send.
public struct SentChunk: Sendable {
  /// The number, from 1 on.
  public var number: Int
  /// The position in the encrypted form.
  public var offset: Int64
  /// The size in bytes.
  public var size: UInt32
  /// The SHA-256.
  public var digest: [UInt8]
  /// The relay that it is sent to.
  public var server: XFTPServer
  /// The sender's identifier; nil before the chunk was created there.
  public var senderID: EntityID?
  /// The identifiers of recipients, as far as they were created.
  public var recipientIDs: [EntityID]
  /// The number of failures in sequence.
  public var attempts: Int64 = 0

  /// A chunk that was not created at its relay.
  public init(number: Int, offset: Int64, size: UInt32, digest: [UInt8], server: XFTPServer) {
    self.number = number
    self.offset = offset
    self.size = size
    self.digest = digest
    self.server = server
    senderID = nil
    recipientIDs = []
  }
}

/// A file to receive.
public struct ReceivedFile: Sendable {
  /// How far it is.
  public enum Status: Int64, Sendable {
    /// Its chunks are to be downloaded.
    case receiving
    /// Its chunks are there, and are to be decrypted.
    case opening
    /// It is at its destination.
    case received
    /// It was given up.
    case failed
    /// Nobody wants it any more; it is known until its temporary files are removed.
    case forgotten
  }

  /// Its number; 0 before it is inserted.
  public var number: Int64 = 0
  /// Its identifier.
  public var id: AgentFileID
  /// Whose it is.
  public var user: UserID
  /// Where its content is written.
  public var destination: LocalFile
  /// Whether relays that are not the user's may learn the address of this device.
  public var isApproved: Bool
  /// What is downloaded, with chunks only where it is inserted.
  public var description: FileDescription
  /// How many bytes were downloaded.
  public var received: Int64 = 0
  /// How far it is.
  public var status = Status.receiving
  /// When it was accepted, in milliseconds.
  public var createdAt: Int64

  /// A new file.
  public init(
    id: AgentFileID, user: UserID, destination: LocalFile, isApproved: Bool, description: FileDescription,
    createdAt: Int64
  ) {
    self.id = id
    self.user = user
    self.destination = destination
    self.isApproved = isApproved
    self.description = description
    self.createdAt = createdAt
  }
}

/// A chunk of a file to receive.
public struct ReceivedChunk: Sendable {
  /// The chunk with its replicas.
  public var chunk: FileChunk
  /// The index of the replica that is tried.
  public var replica: Int
  /// The number of failures in sequence.
  public var attempts: Int64 = 0

  /// A chunk.
  public init(chunk: FileChunk, replica: Int = 0) {
    self.chunk = chunk
    self.replica = replica
  }
}

/// A chunk to delete at its relay.
public struct ChunkDeletion: Sendable {
  /// Its number; 0 before it is inserted.
  public var number: Int64 = 0
  /// Whose it is.
  public var user: UserID
  /// The chunk, as its sender knows it.
  public var replica: FileReplica
  /// When it was asked for, in milliseconds.
  public var createdAt: Int64
  /// The number of failures in sequence.
  public var attempts: Int64 = 0

  /// A new deletion.
  public init(user: UserID, replica: FileReplica, createdAt: Int64) {
    self.user = user
    self.replica = replica
    self.createdAt = createdAt
  }
}

/// A file that nobody wants any more, and whose temporary files are to be removed.
public struct ForgottenFile: Sendable {
  /// Whether it was to be sent.
  public var isSent: Bool
  /// Its number among those.
  public var number: Int64
  /// Its identifier.
  public var id: AgentFileID
  /// Where it was to be written; nil for one to send.
  public var destination: String?
}

/// Something to do, not before a time in milliseconds.
public struct Due<Work: Sendable>: Sendable {
  /// What is to be done.
  public var work: Work
  /// When.
  public var notBefore: Int64
}
