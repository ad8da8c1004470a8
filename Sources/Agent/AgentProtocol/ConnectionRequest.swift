import DoubleRatchet
import SMPProtocol
import WireCodec

/// What one side passes to the other out of band, to be connected. Source: agent-protocol.md, "Connection
/// request".
public struct ConnectionRequest: Hashable, Sendable {
  /// The versions of the agent protocol that its maker speaks.
  public var agentVersions: VersionRange
  /// The queues to send to, at least one.
  public var queues: [QueueURI]
  /// Data of the client, carried along.
  public var clientData: String?
  /// What it is for.
  public var kind: Kind

  /// What a request is for.
  public enum Kind: Hashable, Sendable {
    /// To be used once, with the keys of the ratchet.
    case invitation(E2EOffer)
    /// An address that anybody can send requests to.
    case contact
  }

  /// A request.
  public init(agentVersions: VersionRange, queues: [QueueURI], clientData: String? = nil, kind: Kind) {
    self.agentVersions = agentVersions
    self.queues = queues
    self.clientData = clientData
    self.kind = kind
  }

  /// The binary form.
  ///
  /// It leaves out the mode of a contact queue for old clients; a mode that is missing is therefore read as contact.
  public static let codec = Codec<ConnectionRequest>.tagged(
    "a connection request",
    Alternative(
      "I", body.pair(E2EOffer.codec, separator: ""), { $0.0.request(.invitation($0.1)) },
      { request in
        if case .invitation(let offer) = request.kind { (Body(request), offer) } else { nil }
      }),
    Alternative("C", body, { $0.request(.contact) }) { $0.kind == .contact ? Body($0) : nil })

  private static let body = Codec<Body>.record(
    Field("agentVersions", \.agentVersions, VersionRange.codec),
    Field("queues", \.queues, QueueURI.codec.map({ $0.assumingContact }, { $0 }).nonEmptyList),
    Field("clientData", \.clientData, Codec<String>.largeText.optional),
    build: { Body(agentVersions: $0, queues: $1, clientData: $2) })
}

/// What both kinds of requests have.
private struct Body {
  var agentVersions: VersionRange
  var queues: [QueueURI]
  var clientData: String?

  init(agentVersions: VersionRange, queues: [QueueURI], clientData: String?) {
    self.agentVersions = agentVersions
    self.queues = queues
    self.clientData = clientData
  }

  init(_ request: ConnectionRequest) {
    self.init(agentVersions: request.agentVersions, queues: request.queues, clientData: request.clientData)
  }

  func request(_ kind: ConnectionRequest.Kind) -> ConnectionRequest {
    ConnectionRequest(agentVersions: agentVersions, queues: queues, clientData: clientData, kind: kind)
  }
}

extension ConnectionRequest {
  /// The link: `simplex:/invitation#/?v=…&smp=…&e2e=…` or `simplex:/contact#/?v=…&smp=…`.
  ///
  /// Links of web sites (`https://…/invitation#/?…`) are read too and written as `simplex:`. Contact links get the
  /// lowest version that is still spoken, so that old published addresses work.
  public static let textCodec = Codec<ConnectionRequest>(
    decode: { (reader) throws(WireError) -> ConnectionRequest in
      try LinkScheme.skip(&reader)
      let isInvitation = reader.take("/invitation")
      guard isInvitation || reader.take("/contact") else {
        throw reader.failure(.expected("/invitation or /contact"))
      }
      _ = reader.take("/")
      guard reader.take("#/?") else { throw reader.failure(.expected("#/?")) }
      let query = try QueryString.codec.decode(&reader)
      let versions = try query.required("v", VersionRange.textCodec)
      let queues = try query.required("smp", queueList)
      let clientData = query["data"].map { String(decoding: $0, as: UTF8.self) }
      guard isInvitation else {
        let lowest = max(AgentVersion.supported.lowest, versions.lowest)
        return ConnectionRequest(
          agentVersions: VersionRange(lowest...max(lowest, versions.highest)), queues: queues,
          clientData: clientData, kind: .contact)
      }
      return ConnectionRequest(
        agentVersions: versions, queues: queues, clientData: clientData,
        kind: .invitation(try query.required("e2e", E2EOffer.textCodec)))
    },
    encode: { (request, writer) throws(WireError) in
      var query = QueryString()
      try query.append("v", request.agentVersions, VersionRange.textCodec)
      try query.append("smp", request.queues, queueList)
      if case .invitation(let offer) = request.kind {
        writer.append(literal: "simplex:/invitation#/?")
        try query.append("e2e", offer, E2EOffer.textCodec)
      } else {
        writer.append(literal: "simplex:/contact#/?")
      }
      if let clientData = request.clientData { query.append("data", clientData) }
      try QueryString.codec.encode(query, &writer)
    })

  /// The link of an invitation and of nothing else.
  public static let invitationTextCodec = textCodec.validated("an invitation") { $0.kind != .contact }

  /// Separated by `;`, since `,` separates the hosts of one queue's relay. No queue contains a `;`.
  private static let queueList = QueueURI.textCodec.upTo(";").separated(by: ";")
}

extension QueueURI {
  /// The queue with the mode of a contact address, where the binary form had none.
  fileprivate var assumingContact: QueueURI {
    var queue = self
    if queue.address.mode == nil { queue.address.mode = .contact }
    return queue
  }
}

/// Where a link leads: to the app, or to a web site that leads there.
enum LinkScheme {
  @_lifetime(reader: copy reader)
  static func skip(_ reader: inout Reader) throws(WireError) {
    if reader.take("simplex:") { return }
    guard reader.take("https://") else { throw reader.failure(.expected("simplex: or https://")) }
    let host = reader.span { !Array(":#,;/ ".utf8).contains($0) }
    guard host.byteCount > 0 else { throw reader.failure(.expected("a host")) }
    if reader.take(":") { _ = try Codec<UInt16>.decimal.decode(&reader) }
  }
}
