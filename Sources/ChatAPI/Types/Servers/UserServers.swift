import SimplexJSON

/// A server the user configured.
public struct UserServer: JSONCodable, Hashable, Sendable {
  /// Database id; absent for a server not saved yet.
  public var serverId: Int64?
  /// Address of the server.
  public var server: String
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
    serverId: Int64? = nil, server: String, preset: Bool, tested: Bool? = nil, enabled: Bool, deleted: Bool
  ) {
    self.serverId = serverId
    self.server = server
    self.preset = preset
    self.tested = tested
    self.enabled = enabled
    self.deleted = deleted
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    serverId = try fields.get("serverId")
    server = try fields.get("server")
    preset = try fields.get("preset")
    tested = try fields.get("tested")
    enabled = try fields.get("enabled")
    deleted = try fields.get("deleted")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("serverId", serverId)
    json.field("server", server)
    json.field("preset", preset)
    json.field("tested", tested)
    json.field("enabled", enabled)
    json.field("deleted", deleted)
    json.endObject()
  }
}

/// Servers of one operator, or the user's own.
public struct UserOperatorServers: JSONCodable, Hashable, Sendable {
  /// The operator; absent for the user's own servers.
  public var `operator`: ServerOperator?
  /// Messaging servers.
  public var smpServers: [UserServer]
  /// File servers.
  public var xftpServers: [UserServer]
  /// The relays of public groups.
  public var chatRelays: [UserChatRelay]

  /// A value of its members.
  public init(
    operator: ServerOperator? = nil, smpServers: [UserServer], xftpServers: [UserServer],
    chatRelays: [UserChatRelay] = []
  ) {
    self.`operator` = `operator`
    self.smpServers = smpServers
    self.xftpServers = xftpServers
    self.chatRelays = chatRelays
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    `operator` = try fields.get("operator")
    smpServers = try fields.get("smpServers")
    xftpServers = try fields.get("xftpServers")
    chatRelays = try fields.get("chatRelays", default: [])
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("operator", `operator`)
    json.field("smpServers", smpServers)
    json.field("xftpServers", xftpServers)
    json.field("chatRelays", chatRelays)
    json.endObject()
  }
}

/// What is wrong with the configured servers.
public indirect enum UserServersError: JSONCodable, Hashable, Sendable {
  case noServers(protocol: ServerProtocol, user: User?)
  case storageMissing(protocol: ServerProtocol, user: User?)
  case proxyMissing(protocol: ServerProtocol, user: User?)
  case duplicateServer(protocol: ServerProtocol, duplicateServer: String, duplicateHost: String)
  case duplicateChatRelayAddress(duplicateChatRelay: String, duplicateAddress: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "noServers": self = try .noServers(protocol: fields.get("protocol"), user: fields.get("user"))
    case "storageMissing": self = try .storageMissing(protocol: fields.get("protocol"), user: fields.get("user"))
    case "proxyMissing": self = try .proxyMissing(protocol: fields.get("protocol"), user: fields.get("user"))
    case "duplicateServer":
      self = try .duplicateServer(
        protocol: fields.get("protocol"), duplicateServer: fields.get("duplicateServer"),
        duplicateHost: fields.get("duplicateHost"))
    case "duplicateChatRelayAddress":
      self = try .duplicateChatRelayAddress(
        duplicateChatRelay: fields.get("duplicateChatRelay"), duplicateAddress: fields.get("duplicateAddress"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .noServers(let `protocol`, let user):
      json.sum("noServers", "protocol", `protocol`, "user", user)
    case .storageMissing(let `protocol`, let user):
      json.sum("storageMissing", "protocol", `protocol`, "user", user)
    case .proxyMissing(let `protocol`, let user):
      json.sum("proxyMissing", "protocol", `protocol`, "user", user)
    case .duplicateServer(let `protocol`, let duplicateServer, let duplicateHost):
      json.sum(
        "duplicateServer", "protocol", `protocol`, "duplicateServer", duplicateServer, "duplicateHost", duplicateHost)
    case .duplicateChatRelayAddress(let duplicateChatRelay, let duplicateAddress):
      json.sum(
        "duplicateChatRelayAddress", "duplicateChatRelay", duplicateChatRelay, "duplicateAddress", duplicateAddress)
    }
  }
}

/// What is doubtful about the configured servers.
public indirect enum UserServersWarning: JSONCodable, Hashable, Sendable {
  case noChatRelays(user: User?)
  case noNamesServers(user: User?)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "noChatRelays": self = try .noChatRelays(user: fields.get("user"))
    case "noNamesServers": self = try .noNamesServers(user: fields.get("user"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .noChatRelays(let user): json.sum("noChatRelays", "user", user)
    case .noNamesServers(let user): json.sum("noNamesServers", "user", user)
    }
  }
}

/// A server's address in parts, or why it is not valid.
public struct ParsedServerAddress: JSONCodable, Hashable, Sendable {
  /// The address in parts.
  public var serverAddress: ServerAddress?
  /// Why it is not valid; empty if it is.
  public var parseError: String

  /// A value of its members.
  public init(
    serverAddress: ServerAddress? = nil, parseError: String
  ) {
    self.serverAddress = serverAddress
    self.parseError = parseError
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    serverAddress = try fields.get("serverAddress")
    parseError = try fields.get("parseError")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("serverAddress", serverAddress)
    json.field("parseError", parseError)
    json.endObject()
  }
}

/// Where and why testing a server failed.
public struct ProtocolTestFailure: JSONCodable, Hashable, Sendable {
  /// Where the test failed.
  public var testStep: ProtocolTestStep
  /// What went wrong.
  public var testError: AgentErrorType

  /// A value of its members.
  public init(
    testStep: ProtocolTestStep, testError: AgentErrorType
  ) {
    self.testStep = testStep
    self.testError = testError
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    testStep = try fields.get("testStep")
    testError = try fields.get("testError")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("testStep", testStep)
    json.field("testError", testError)
    json.endObject()
  }
}

/// Steps of testing a server.
public enum ProtocolTestStep: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case connect
  case disconnect
  case createQueue
  case secureQueue
  case deleteQueue
  case createFile
  case uploadFile
  case downloadFile
  case compareFile
  case deleteFile
  case createNtfToken
  case deleteNtfToken
}
