import SimplexJSON

/// The device's network.
public struct UserNetworkInfo: JSONCodable, Hashable, Sendable {
  /// The kind of network.
  public var networkType: UserNetworkType
  /// Whether there is a connection.
  public var online: Bool
}

/// Kinds of networks.
public enum UserNetworkType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case none
  case cellular
  case wifi
  case ethernet
  case other
}

/// A SOCKS proxy.
public struct NetworkProxy: JSONCodable, Hashable, Sendable {
  /// Host name or address.
  public var host: String
  /// Port number.
  public var port: Int
  /// How the proxy authenticates.
  public var auth: NetworkProxyAuth
  /// User name at the proxy.
  public var username: String
  /// Password of the proxy.
  public var password: String
}

/// How a proxy authenticates: one user, or one per connection.
public enum NetworkProxyAuth: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case username
  case isolate
}
