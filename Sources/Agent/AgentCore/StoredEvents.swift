import AgentProtocol
import DoubleRatchet
import SMPProtocol
import WireCodec
import XFTPProtocol

// The stored form of events.

extension AgentEvent.Kind {
  /// The stored form; nil for events that are not kept.
  ///
  /// Errors are kept as far as `AgentError.storedCodec` has a form for them.
  public func storedPayload() throws(WireError) -> [UInt8]? {
    switch self {
    case .created(let link): try tagged(1, CreatedLink.storedCodec, link)
    case .linkSet(let link, let data):
      try tagged(2, ShortLink.codec.pair(UserLinkData.codec, separator: ""), (link, data))
    case .confirmation(let id, let pq, let servers, let info):
      try tagged(3, Self.handshake, (id.bytes, (pq, (servers, info))))
    case .request(let id, let pq, let servers, let info):
      try tagged(4, Self.handshake, (id.bytes, (pq, (servers, info))))
    case .information(let pq, let info): try tagged(5, Self.information, (pq, info))
    case .connected(let pq): try tagged(6, .bool, pq)
    case .joined(let isSecured): try tagged(7, .bool, isSecured)
    case .sent(let message, let proxy): try tagged(8, Self.sent, (message, proxy))
    case .messageFailed(let message, let error): try tagged(9, Self.failure, (message, error))
    case .messagesFailed(let messages, let error): try tagged(10, Self.failures, (messages, error))
    case .receiveQueuesDeleted(let queues): try tagged(11, DeletedQueue.storedCodec.list, queues)
    case .connectionsDeleted(let connections): try tagged(12, Self.connections, connections)
    case .userDeleted(let user): try tagged(13, .integer, user.rawValue)
    case .done: try tagged(14, .empty, ())
    case .failed(let error): try tagged(15, AgentError.storedCodec, error)
    case .linkData(let request, let content):
      try tagged(16, Self.linkData, (request, (content.fixed, content.user)))
    case .switched(let direction, let phase, let stats):
      try tagged(17, Self.switchProgress, (direction, (phase, stats)))
    case .ratchetSync(let state, let error, let stats):
      try tagged(18, Self.syncProgress, (state, (error, stats)))
    case .messageWarning(let message, let error): try tagged(19, Self.failure, (message, error))
    case .subscriptionEnded: try tagged(20, .empty, ())
    case .queueDeleted: try tagged(21, .empty, ())
    case .queueContinues: try tagged(22, .empty, ())
    case .fileReceived(let file, let size): try tagged(23, Self.receivedFile, (file, size))
    case .fileReceiveFailed(let file, let error): try tagged(24, Self.failedFile, (file, error))
    case .fileSent(let file, let user, let sender, let recipients):
      try tagged(25, Self.sentFile, (file, (sender, (recipients, user))))
    case .fileSendFailed(let file, let error): try tagged(26, Self.failedFile, (file, error))
    case .fileReceiveProgress, .fileReceiveWarning, .fileSendProgress, .fileSendWarning: nil
    case .serverConnected, .serverDisconnected, .down, .up, .message, .received, .connectionsFailed, .suspended, .stuck,
      .notifiedMessageHandled:
      nil
    }
  }

  /// Reads the stored form; nil for one that a newer version may have stored.
  public init?(storedPayload bytes: [UInt8]) throws(WireError) {
    guard let tag = bytes.first else { return nil }
    let payload = Array(bytes.dropFirst())
    switch tag {
    case 1: self = .created(try CreatedLink.storedCodec.decode(payload))
    case 2:
      let (link, data) = try ShortLink.codec.pair(UserLinkData.codec, separator: "").decode(payload)
      self = .linkSet(link, data)
    case 3, 4:
      let (id, (pq, (servers, info))) = try Self.handshake.decode(payload)
      self =
        tag == 3
        ? .confirmation(ConfirmationID(id), pqSupport: pq, servers: servers, info: info)
        : .request(InvitationID(id), pqSupport: pq, servers: servers, info: info)
    case 5:
      let (pq, info) = try Self.information.decode(payload)
      self = .information(pqSupport: pq, info: info)
    case 6: self = .connected(pqEncryption: try Codec<Bool>.bool.decode(payload))
    case 7: self = .joined(isSecured: try Codec<Bool>.bool.decode(payload))
    case 8:
      let (message, proxy) = try Self.sent.decode(payload)
      self = .sent(message, proxy: proxy)
    case 9:
      let (message, error) = try Self.failure.decode(payload)
      self = .messageFailed(message, error)
    case 10:
      let (messages, error) = try Self.failures.decode(payload)
      self = .messagesFailed(messages, error)
    case 11: self = .receiveQueuesDeleted(try DeletedQueue.storedCodec.list.decode(payload))
    case 12: self = .connectionsDeleted(try Self.connections.decode(payload))
    case 13: self = .userDeleted(UserID(rawValue: try Codec<Int64>.integer.decode(payload)))
    case 14: self = .done
    case 15: self = .failed(try AgentError.storedCodec.decode(payload))
    case 16:
      let (request, (fixed, user)) = try Self.linkData.decode(payload)
      self = .linkData(request, LinkContent(fixed: fixed, user: user))
    case 17:
      let (direction, (phase, stats)) = try Self.switchProgress.decode(payload)
      self = .switched(direction, phase, stats)
    case 18:
      let (state, (error, stats)) = try Self.syncProgress.decode(payload)
      self = .ratchetSync(state, error, stats)
    case 19:
      let (message, error) = try Self.failure.decode(payload)
      self = .messageWarning(message, error)
    case 20: self = .subscriptionEnded
    case 21: self = .queueDeleted
    case 22: self = .queueContinues
    case 23:
      let (file, size) = try Self.receivedFile.decode(payload)
      self = .fileReceived(file, size: size)
    case 24, 26:
      let (file, error) = try Self.failedFile.decode(payload)
      self = tag == 24 ? .fileReceiveFailed(file, error) : .fileSendFailed(file, error)
    case 25:
      let (file, (sender, (recipients, user))) = try Self.sentFile.decode(payload)
      self = .fileSent(file, user: user, sender: sender, recipients: recipients)
    default: return nil
    }
  }

  private func tagged<Payload>(
    _ tag: UInt8, _ codec: Codec<Payload>, _ payload: Payload
  ) throws(WireError) -> [UInt8] {
    var writer = Writer()
    writer.append(tag)
    try codec.encode(payload, &writer)
    return writer.bytes
  }

  private static let linkData = ConnectionRequest.codec.pair(
    FixedLinkData.codec.inLarge.pair(UserLinkData.codec, separator: ""), separator: "")
  private static let information = Codec<Bool>.bool.pair(Codec<[UInt8]>.tail, separator: "")
  private static let handshake = Codec<[UInt8]>.short.pair(
    Codec<Bool>.bool.pair(SMPServerAddress.codec.list.pair(Codec<[UInt8]>.tail, separator: ""), separator: ""),
    separator: "")
  private static let sent = MessageReference.storedCodec.pair(SMPServerAddress.codec.optional, separator: "")
  private static let failure = MessageReference.storedCodec.pair(AgentError.storedCodec, separator: "")
  private static let failures = MessageReference.storedCodec.manyUnbounded.pair(AgentError.storedCodec, separator: "")
  private static let switchProgress = AgentQueueDirection.storedCodec.pair(
    AgentSwitchPhase.storedCodec.pair(AgentConnectionStats.storedCodec, separator: ""), separator: "")
  private static let syncProgress = AgentRatchetSyncState.storedCodec.pair(
    AgentError.storedCodec.inLarge.optional.pair(AgentConnectionStats.storedCodec, separator: ""), separator: "")
  private static let connections = ConnectionID.codec.manyUnbounded
  private static let receivedFile = AgentFileID.codec.pair(Codec<Int64>.integer, separator: "")
  private static let failedFile = AgentFileID.codec.pair(AgentError.storedCodec, separator: "")
  private static let sentFile = AgentFileID.codec.pair(
    FileDescription.storedCodec.pair(RecipientDescriptions.storedCodec.pair(owner, separator: ""), separator: ""),
    separator: "")
  /// The user at the end; nothing where an earlier version stored the event.
  private static let owner = Codec<UserID?>(
    decode: { (reader) throws(WireError) -> UserID? in
      reader.isAtEnd ? nil : UserID(rawValue: try Codec<Int64>.integer.decode(&reader))
    },
    encode: { (user, writer) throws(WireError) in
      if let user { try Codec<Int64>.integer.encode(user.rawValue, &writer) }
    })
}

extension Codec {
  /// A list of any length, after a 4-byte count.
  var manyUnbounded: Codec<[Value]> {
    Codec<[Value]>(
      decode: { (reader) throws(WireError) -> [Value] in
        let count = try reader.integer(UInt32.self)
        var values: [Value] = []
        for _ in 0..<count { values.append(try decode(&reader)) }
        return values
      },
      encode: { (values, writer) throws(WireError) in
        writer.append(integer: UInt32(clamping: values.count))
        for value in values { try encode(value, &writer) }
      })
  }
}

extension FileDescription {
  /// The stored form: the text after its size in 4 bytes.
  public static let storedCodec = Codec<FileDescription>(
    decode: { (reader) throws(WireError) -> FileDescription in
      let size = try reader.integer(UInt32.self)
      return try FileDescription.codec.decode(try reader.bytes(Int(size)))
    },
    encode: { (description, writer) throws(WireError) in
      let text = try FileDescription.codec.encode(description)
      guard let size = UInt32(exactly: text.count) else { throw writer.failure(.tooLong(limit: Int(UInt32.max))) }
      writer.append(integer: size)
      writer.append(text)
    })
}

extension CreatedLink {
  /// The stored form.
  public static let storedCodec = Codec<CreatedLink>.record(
    Field("full", \.full, ConnectionRequest.codec), Field("short", \.short, ShortLink.codec.optional),
    build: { CreatedLink(full: $0, short: $1) })
}

extension MessageReference {
  /// The stored form.
  public static let storedCodec = Codec<MessageReference>.record(
    Field("id", \.id.rawValue, .integer), Field("key", \.key, Codec<Int64>.integer.optional),
    build: { MessageReference(id: AgentMessageID(rawValue: $0), key: $1) })
}

extension DeletedQueue {
  static let storedCodec = Codec<DeletedQueue>.record(
    Field("connection", \.connection, ConnectionID.codec), Field("server", \.server, SMPServerAddress.codec),
    Field("queue", \.queue, EntityID.codec), Field("error", \.error, AgentError.storedCodec.inLarge.optional),
    build: { DeletedQueue(connection: $0, server: $1, queue: $2, error: $3) })
}

extension AgentError {
  /// The stored form. What an application decides by is kept as it is; of all else the text remains.
  static let storedCodec = Codec<AgentError>.tagged(
    "an error",
    Alternative(
      "R", SMPServerAddress.codec.pair(ProtocolErrorType.textCodec.inLarge, separator: ""),
      { .server($0.0, .relay($0.1)) },
      { if case .server(let server, .relay(let error)) = $0 { (server, error) } else { nil } }),
    Alternative(
      "T", SMPServerAddress.codec, { .server($0, .timeout) },
      { if case .server(let server, .timeout) = $0 { server } else { nil } }),
    Alternative(
      "N", SMPServerAddress.codec.pair(NetworkError.textCodec.inLarge, separator: ""),
      { .server($0.0, .network($0.1)) },
      { error in
        guard case .server(let server, let problem) = error else { return nil }
        switch problem {
        case .network(let error): return (server, error)
        case .closed, .overflow, .cancelled: return (server, .failedError)
        default: return nil
        }
      }),
    Alternative(
      "H", SMPServerAddress.codec, { .server($0, .noHost) },
      { if case .server(let server, .noHost) = $0 { server } else { nil } }),
    Alternative(
      "Y", SMPServerAddress.codec.pair(ProtocolErrorType.textCodec.inLarge, separator: ""),
      { .server($0.0, .proxy($0.1)) },
      { if case .server(let server, .proxy(let error)) = $0 { (server, error) } else { nil } }),
    Alternative(
      "O", SMPServerAddress.codec.pair(Codec<Int64>.integer.optional, separator: ""),
      { .notice($0.0, expiresAt: $0.1) },
      { if case .notice(let server, let time) = $0 { (server, time) } else { nil } }),
    Alternative(
      "X", RatchetError.storedCodec, { .peer(.crypto($0)) },
      { if case .peer(.crypto(let error)) = $0 { error } else { nil } }),
    Alternative("C1", AgentError.connection(.notFound)), Alternative("C2", AgentError.connection(.duplicate)),
    Alternative("C3", AgentError.connection(.simplex)), Alternative("C4", AgentError.connection(.notAccepted)),
    Alternative("C5", AgentError.connection(.notAvailable)), Alternative("V", AgentError.peer(.version)),
    Alternative(
      "Q", Codec<String>.largeText, { .peer(.queue($0)) },
      { if case .peer(.queue(let text)) = $0 { text } else { nil } }),
    Alternative(
      "P", Codec<String>.largeText, { .peer(.prohibited($0)) },
      { if case .peer(.prohibited(let text)) = $0 { text } else { nil } }),
    Alternative("G", AgentError.peer(.ratchetSync)), Alternative("S", AgentError.noServers),
    Alternative(
      "Z", Codec<String>.largeText, { .prohibited($0) }, { if case .prohibited(let text) = $0 { text } else { nil } }),
    Alternative(
      "F", XFTPServer.codec.pair(FileServerProblem.storedCodec, separator: ""), { .fileServer($0.0, $0.1) },
      { if case .fileServer(let server, let problem) = $0 { (server, problem) } else { nil } }),
    Alternative(
      "W", NotificationServer.codec.pair(ProtocolErrorType.textCodec.inLarge, separator: ""),
      { .notificationServer($0.0, .relay($0.1)) },
      { if case .notificationServer(let server, .relay(let error)) = $0 { (server, error) } else { nil } }),
    Alternative(
      "L", FileProblem.storedCodec, { .file($0) }, { if case .file(let problem) = $0 { problem } else { nil } }),
    Alternative("I", Codec<String>.largeText, { .internalError($0) }) { error in
      if case .internalError(let text) = error { text } else { String("\(error)".prefix(1_000)) }
    })
}

extension AgentError.FileServerProblem {
  static let storedCodec = Codec<AgentError.FileServerProblem>.tagged(
    "a problem of a file relay",
    Alternative(
      "R", XFTPErrorType.codec.inLarge, { .relay($0) }, { if case .relay(let error) = $0 { error } else { nil } }),
    Alternative(
      "N", NetworkError.textCodec.inLarge, { .network($0) },
      { if case .network(let error) = $0 { error } else { nil } }),
    Alternative("T", .timeout), Alternative("H", .noHost), Alternative("V", .version),
    Alternative(
      "U", Codec<String>.largeText, { .unexpected($0) },
      { if case .unexpected(let text) = $0 { text } else { nil } }))
}

extension AgentError.FileProblem {
  static let storedCodec = Codec<AgentError.FileProblem>.tagged(
    "a problem of a file",
    Alternative("A", .notApproved), Alternative("S", .tooLarge), Alternative("M", .missing),
    Alternative(
      "R", Codec<String>.largeText, { .redirect($0) }, { if case .redirect(let text) = $0 { text } else { nil } }),
    Alternative(
      "L", Codec<String>.largeText, { .local($0) }, { if case .local(let text) = $0 { text } else { nil } }),
    Alternative(
      "D", XFTPErrorType.codec.inLarge, { .damaged($0) }, { if case .damaged(let error) = $0 { error } else { nil } }))
}
