import SimplexJSON

/// A relay of a public group.
public struct GroupRelay: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var groupRelayId: Int64
  /// Database id of the member.
  public var groupMemberId: Int64
  /// The relay as the user configured it.
  public var userChatRelay: UserChatRelay
  /// How far the relay is connected.
  public var relayStatus: RelayStatus
  /// Short link of the relay.
  public var relayLink: String?
  /// What the relay offers.
  public var relayCap: RelayCapabilities

  /// A value of its members.
  public init(
    groupRelayId: Int64, groupMemberId: Int64, userChatRelay: UserChatRelay, relayStatus: RelayStatus,
    relayLink: String? = nil, relayCap: RelayCapabilities = RelayCapabilities()
  ) {
    self.groupRelayId = groupRelayId
    self.groupMemberId = groupMemberId
    self.userChatRelay = userChatRelay
    self.relayStatus = relayStatus
    self.relayLink = relayLink
    self.relayCap = relayCap
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupRelayId = try fields.get("groupRelayId")
    groupMemberId = try fields.get("groupMemberId")
    userChatRelay = try fields.get("userChatRelay")
    relayStatus = try fields.get("relayStatus")
    relayLink = try fields.get("relayLink")
    relayCap = try fields.get("relayCap", default: RelayCapabilities())
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupRelayId", groupRelayId)
    json.field("groupMemberId", groupMemberId)
    json.field("userChatRelay", userChatRelay)
    json.field("relayStatus", relayStatus)
    json.field("relayLink", relayLink)
    json.field("relayCap", relayCap)
    json.endObject()
  }
}

/// How far a relay is connected.
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

  /// A value of its members.
  public init(
    webDomain: String? = nil
  ) {
    self.webDomain = webDomain
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    webDomain = try fields.get("webDomain")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("webDomain", webDomain)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    chatRelayId: Int64? = nil, address: String, relayProfile: RelayProfile, domains: [String], preset: Bool,
    tested: Bool? = nil, enabled: Bool, deleted: Bool
  ) {
    self.chatRelayId = chatRelayId
    self.address = address
    self.relayProfile = relayProfile
    self.domains = domains
    self.preset = preset
    self.tested = tested
    self.enabled = enabled
    self.deleted = deleted
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatRelayId = try fields.get("chatRelayId")
    address = try fields.get("address")
    relayProfile = try fields.get("relayProfile")
    domains = try fields.get("domains")
    preset = try fields.get("preset")
    tested = try fields.get("tested")
    enabled = try fields.get("enabled")
    deleted = try fields.get("deleted")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatRelayId", chatRelayId)
    json.field("address", address)
    json.field("relayProfile", relayProfile)
    json.field("domains", domains)
    json.field("preset", preset)
    json.field("tested", tested)
    json.field("enabled", enabled)
    json.field("deleted", deleted)
    json.endObject()
  }
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
  public var image: String?

  /// A value of its members.
  public init(
    displayName: String, fullName: String, shortDescr: String? = nil, image: String? = nil
  ) {
    self.displayName = displayName
    self.fullName = fullName
    self.shortDescr = shortDescr
    self.image = image
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    displayName = try fields.get("displayName")
    fullName = try fields.get("fullName")
    shortDescr = try fields.get("shortDescr")
    image = imageData(try fields.get("image"))
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("displayName", displayName)
    json.field("fullName", fullName)
    json.field("shortDescr", shortDescr)
    json.field("image", image)
    json.endObject()
  }
}

/// Whether a relay could be added.
public struct AddRelayResult: JSONCodable, Hashable, Sendable {
  /// The relay.
  public var relay: UserChatRelay
  /// Why it failed; absent if it did not.
  public var relayError: ChatError?

  /// A value of its members.
  public init(
    relay: UserChatRelay, relayError: ChatError? = nil
  ) {
    self.relay = relay
    self.relayError = relayError
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    relay = try fields.get("relay")
    relayError = try fields.get("relayError")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("relay", relay)
    json.field("relayError", relayError)
    json.endObject()
  }
}

/// Whether a relay could be connected to.
public struct RelayConnectionResult: JSONCodable, Hashable, Sendable {
  /// The relay as member.
  public var relayMember: GroupMember
  /// Why it failed; absent if it did not.
  public var relayError: ChatError?

  /// A value of its members.
  public init(
    relayMember: GroupMember, relayError: ChatError? = nil
  ) {
    self.relayMember = relayMember
    self.relayError = relayError
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    relayMember = try fields.get("relayMember")
    relayError = try fields.get("relayError")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("relayMember", relayMember)
    json.field("relayError", relayError)
    json.endObject()
  }
}

/// Where and why testing a relay failed.
public struct RelayTestFailure: JSONCodable, Hashable, Sendable {
  /// Where the test failed.
  public var rtfStep: RelayTestStep
  /// What went wrong.
  public var rtfError: ChatError

  /// A value of its members.
  public init(
    rtfStep: RelayTestStep, rtfError: ChatError
  ) {
    self.rtfStep = rtfStep
    self.rtfError = rtfError
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    rtfStep = try fields.get("rtfStep")
    rtfError = try fields.get("rtfError")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("rtfStep", rtfStep)
    json.field("rtfError", rtfError)
    json.endObject()
  }
}

/// Steps of testing a relay.
public enum RelayTestStep: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case getLink
  case decodeLink
  case connect
  case waitResponse
  case verify
}
