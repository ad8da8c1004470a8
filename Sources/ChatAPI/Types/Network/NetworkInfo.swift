import SimplexJSON

/// The device's network.
public struct UserNetworkInfo: JSONCodable, Hashable, Sendable {
  /// The kind of network.
  public var networkType: UserNetworkType
  /// Whether there is a connection.
  public var online: Bool

  /// A value of its members.
  public init(
    networkType: UserNetworkType, online: Bool
  ) {
    self.networkType = networkType
    self.online = online
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    networkType = try fields.get("networkType")
    online = try fields.get("online")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("networkType", networkType)
    json.field("online", online)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    host: String, port: Int, auth: NetworkProxyAuth, username: String, password: String
  ) {
    self.host = host
    self.port = port
    self.auth = auth
    self.username = username
    self.password = password
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    host = try fields.get("host")
    port = try fields.get("port")
    auth = try fields.get("auth")
    username = try fields.get("username")
    password = try fields.get("password")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("host", host)
    json.field("port", port)
    json.field("auth", auth)
    json.field("username", username)
    json.field("password", password)
    json.endObject()
  }
}

/// How a proxy authenticates: one user, or one per connection.
public enum NetworkProxyAuth: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case username
  case isolate
}
