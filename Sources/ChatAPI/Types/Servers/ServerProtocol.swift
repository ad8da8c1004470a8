import SimplexJSON

/// Protocols of servers: messages, files, notifications.
public enum ServerProtocol: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case smp, xftp, ntf
}
