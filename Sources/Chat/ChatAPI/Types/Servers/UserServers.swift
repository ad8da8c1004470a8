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
  public var chatRelays: [UserChatRelay] = []
}

/// An error in the configured servers.
public indirect enum UserServersError: JSONCodable, Hashable, Sendable {
  case noServers(protocol: ServerProtocol, user: User?)
  case storageMissing(protocol: ServerProtocol, user: User?)
  case proxyMissing(protocol: ServerProtocol, user: User?)
  case duplicateServer(protocol: ServerProtocol, duplicateServer: String, duplicateHost: String)
  case duplicateChatRelayAddress(duplicateChatRelay: String, duplicateAddress: String)
}

/// A warning about the configured servers.
public indirect enum UserServersWarning: JSONCodable, Hashable, Sendable {
  case noChatRelays(user: User?)
  case noNamesServers(user: User?)
}

/// A server's address in parts, or why it is not valid.
public struct ParsedServerAddress: JSONCodable, Hashable, Sendable {
  /// The address in parts.
  public var serverAddress: ServerAddress?
  /// Why it is not valid; empty if it is.
  public var parseError: String
}

/// Where and why testing a server failed.
public struct ProtocolTestFailure: JSONCodable, Hashable, Sendable {
  /// Where the test failed.
  public var testStep: ProtocolTestStep
  /// A description of the error.
  public var testError: AgentErrorType
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
