import ChatAPI
import SQLiteKit

/// How many columns ``connectionColumns(_:)`` names.
private let connectionColumnCount = 29

/// The columns of a connection as ``SQLiteRow/connection(_:)`` reads them.
func connectionColumns(_ table: String) -> String {
  [
    "connection_id", "agent_conn_id", "chat_version", "peer_min_version", "peer_max_version", "level", "via_contact",
    "via_address", "via_group_link", "group_link_id", "xcontact_id", "custom_profile_id", "kind", "status",
    "status_error", "initiated", "local_alias", "contact_id", "member_id", "address_id", "security_code",
    "verified_at", "pq_support", "pq_encryption", "pq_sending", "pq_receiving", "authorization_errors",
    "quota_errors", "created_at",
  ].map { "\(table).\($0)" }.joined(separator: ", ")
}

extension SQLiteRow {
  func connection(_ at: inout ColumnIndex) throws(SQLFailure) -> Connection {
    let id = try integer(&at)
    let agentConnId = try text(&at)
    let chatVersion = try int(&at)
    let peerVersions = VersionRange(try int(&at), try int(&at))
    let level = try int(&at)
    let viaContact = try optionalInteger(&at)
    let viaAddress = try optionalInteger(&at)
    let viaGroupLink = try bool(&at)
    let groupLinkId = try optionalText(&at)
    let xContactId = try optionalText(&at)
    let customProfile = try optionalInteger(&at)
    let kind: ConnType? = try optionalName(&at)
    // Whether it works the agent knows, too.
    let status = try connectionStatus(&at, otherwise: .ready)
    let initiated = try bool(&at)
    let alias = try text(&at)
    let contact = try optionalInteger(&at)
    let member = try optionalInteger(&at)
    let address = try optionalInteger(&at)
    let code = try optionalText(&at)
    let verifiedAt = try optionalDate(&at)
    let known = kind ?? (member != nil ? .member : address != nil ? .userContact : .contact)
    let entity =
      switch known {
      case .contact: contact
      case .member: member
      case .userContact: address
      }
    let securityCode = code.flatMap { code in verifiedAt.map { SecurityCode(securityCode: code, verifiedAt: $0) } }
    return Connection(
      connId: id, agentConnId: agentConnId, connChatVersion: chatVersion, peerChatVRange: peerVersions,
      connLevel: level, viaContact: viaContact, viaUserContactLink: viaAddress, viaGroupLink: viaGroupLink,
      groupLinkId: groupLinkId, xContactId: xContactId, customUserProfileId: customProfile, connType: known,
      connStatus: status, contactConnInitiated: initiated, localAlias: alias, entityId: entity,
      connectionCode: securityCode, pqSupport: try bool(&at), pqEncryption: try bool(&at),
      pqSndEnabled: try optionalBool(&at), pqRcvEnabled: try optionalBool(&at), authErrCounter: try int(&at),
      quotaErrCounter: try int(&at), createdAt: try date(&at))
  }

  /// The connection that a left join found, if it found one.
  func optionalConnection(_ at: inout ColumnIndex) throws(SQLFailure) -> Connection? {
    var first = at
    if isNull(first.next()) {
      at.skip(connectionColumnCount)
      return nil
    }
    return try connection(&at)
  }

  /// Two columns: the name of the status, and what went wrong; `otherwise` for a name that is not known.
  func connectionStatus(_ at: inout ColumnIndex, otherwise: ConnStatus) throws(SQLFailure) -> ConnStatus {
    let column = at.next()
    let stored = try text(column)
    let reason = try optionalText(&at)
    if stored == "failed" { return .failed(connError: reason ?? "") }
    guard let status = ConnStatus.plain.first(where: { $0.storedName == stored }) else {
      note(column: column, "no such status")
      return otherwise
    }
    return status
  }
}

extension ConnStatus {
  /// All but the one that has a reason.
  fileprivate static let plain: [ConnStatus] = [
    .ready, .sndReady, .accepted, .requested, .joined, .prepared, .new, .deleted,
  ]

  var storedName: String {
    switch self {
    case .new: "new"
    case .prepared: "prepared"
    case .joined: "joined"
    case .requested: "requested"
    case .accepted: "accepted"
    case .sndReady: "sndReady"
    case .ready: "ready"
    case .deleted: "deleted"
    case .failed: "failed"
    }
  }

  var storedReason: String? {
    if case .failed(let reason) = self { reason } else { nil }
  }
}
