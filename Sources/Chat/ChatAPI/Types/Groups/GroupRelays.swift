import SimplexJSON

/// A relay of a public group.
public struct GroupRelay: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var groupRelayId: Int64
  /// Database id of the member.
  public var groupMemberId: Int64
  /// The relay as the user configured it.
  public var userChatRelay: UserChatRelay
  /// The connection state of the relay.
  public var relayStatus: RelayStatus
  /// Short link of the relay.
  public var relayLink: String?
  /// What the relay offers.
  public var relayCap: RelayCapabilities = .none
}

/// The connection state of a relay.
public enum RelayStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case rsNew = "new"
  case rsInvited = "invited"
  case rsAccepted = "accepted"
  case acknowledgedRoster
  case rsActive = "active"
  case rsInactive = "inactive"
  case rejected
}

/// What a relay offers.
public struct RelayCapabilities: JSONCodable, Hashable, Sendable {
  /// Domain of the relay's web pages.
  public var webDomain: String?

  /// A relay that only forwards messages.
  public static let none = RelayCapabilities()
}

/// A relay the user configured.
public struct UserChatRelay: JSONCodable, Hashable, Sendable {
  /// Database id; absent for a relay not saved yet.
  public var chatRelayId: Int64?
  /// Short link of the relay.
  public var address: String
  /// Names and image of the relay.
  public var relayProfile: RelayProfile
  /// Domains the relay serves.
  public var domains: [String]
  /// Whether it came with the app.
  public var preset: Bool
  /// Whether the last test succeeded; absent if never tested.
  public var tested: Bool?
  /// Whether it is used.
  public var enabled: Bool
  /// Whether it is to be removed.
  public var deleted: Bool
}

/// Names and image of a relay.
public struct RelayProfile: JSONCodable, Hashable, Sendable {
  /// The short name.
  public var displayName: String
  /// The longer name; may be empty.
  public var fullName: String
  /// One line about it.
  public var shortDescr: String?
  /// Image as `data:` URI.
  public var image: String?  // json: imageData(image)
}

/// Whether a relay could be added.
public struct AddRelayResult: JSONCodable, Hashable, Sendable {
  /// The relay.
  public var relay: UserChatRelay
  /// Why it failed; absent if it did not.
  public var relayError: ChatError?
}

/// Whether a relay could be connected to.
public struct RelayConnectionResult: JSONCodable, Hashable, Sendable {
  /// The relay as member.
  public var relayMember: GroupMember
  /// Why it failed; absent if it did not.
  public var relayError: ChatError?
}

/// Where and why testing a relay failed.
public struct RelayTestFailure: JSONCodable, Hashable, Sendable {
  /// Where the test failed.
  public var rtfStep: RelayTestStep
  /// A description of the error.
  public var rtfError: ChatError
}

/// Steps of testing a relay.
public enum RelayTestStep: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case getLink
  case decodeLink
  case connect
  case waitResponse
  case verify
}
