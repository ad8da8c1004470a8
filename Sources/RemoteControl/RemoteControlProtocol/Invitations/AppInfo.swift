import SimplexJSON

/// The controller's application, in its invitation. Source: the reference's type `CtrlAppInfo`.
public struct ControllerAppInfo: Hashable, Sendable {
  /// The versions of cores that the controller works with.
  public var versions: AppVersions
  /// The controller's name for users.
  public var deviceName: String
  /// Whether the controller can compress; absent in JSON of earlier versions, then false.
  public var compresses: Bool

  /// The record of a controller.
  public init(versions: AppVersions, deviceName: String, compresses: Bool) {
    self.versions = versions
    self.deviceName = deviceName
    self.compresses = compresses
  }
}

extension ControllerAppInfo: JSONDecodable, JSONEncodable {
  /// Reads the record; members that are not known are skipped.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    versions = try fields.get("appVersionRange")
    compresses = try fields.get("compression", default: false)
    deviceName = try fields.get("deviceName")
  }

  /// Writes the record, its members sorted by name as signatures of invitations require.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("appVersionRange", versions)
    json.field("compression", compresses)
    json.field("deviceName", deviceName)
    json.endObject()
  }
}

/// The host's application, in its HELLO. Source: the reference's type `HostAppInfo`.
public struct HostAppInfo: Hashable, Sendable {
  /// The spelling of sums in the JSON of responses and events that the host writes.
  public enum Encoding: String, JSONCodable, Hashable, Sendable {
    /// `{"_owsf":true,"tag":{…}}`, on iOS.
    case swift
    /// `{"type":"tag",…}`, on all other platforms.
    case kotlin
  }

  /// The version that the host chose: its own, or the controller's highest where that is lower.
  public var version: AppVersion
  /// The host's name for users.
  public var deviceName: String
  /// The spelling of sums.
  public var encoding: Encoding
  /// Whether the host encrypts files in its storage.
  public var encryptsFiles: Bool
  /// Whether the host can compress; absent in JSON of earlier versions, then false.
  public var compresses: Bool

  /// The record of a host.
  public init(version: AppVersion, deviceName: String, encoding: Encoding, encryptsFiles: Bool, compresses: Bool) {
    self.version = version
    self.deviceName = deviceName
    self.encoding = encoding
    self.encryptsFiles = encryptsFiles
    self.compresses = compresses
  }
}

extension HostAppInfo: JSONDecodable, JSONEncodable {
  /// Reads the record; members that are not known are skipped.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    version = try fields.get("appVersion")
    compresses = try fields.get("compression", default: false)
    deviceName = try fields.get("deviceName")
    encoding = try fields.get("encoding")
    encryptsFiles = try fields.get("encryptFiles")
  }

  /// Writes the record.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("appVersion", version)
    json.field("compression", compresses)
    json.field("deviceName", deviceName)
    json.field("encoding", encoding)
    json.field("encryptFiles", encryptsFiles)
    json.endObject()
  }
}
