import SMPProtocol
import SimplexCrypto
import SimplexJSON
import WireCodec

/// The content of an invitation, by which a controller tells hosts how to connect. Source: XRCP, "Session invitation".
///
/// It is sent signed (``SignedInvitation``), as a link or in an ``Announcement``.
public struct RemoteInvitation: Hashable, Sendable {
  /// The versions of the protocol that exist: 1.
  public static let supportedVersions = VersionRange(1...1)

  /// The controller's certificate authority for this host.
  public var controller: CertificateFingerprint
  /// The address of the controller's listener.
  public var host: TransportHost
  /// The port of the controller's listener.
  public var port: UInt16
  /// The versions of the protocol that the controller knows.
  public var versions: VersionRange
  /// The controller's application as JSON (``ControllerAppInfo``), not interpreted.
  public var app: String
  /// The time of the invitation by the controller's clock, in seconds since 1970. Clocks differ, so it does not limit
  /// the validity.
  public var timestamp: Int64
  /// The key that signs commands in this session.
  public var sessionKey: Ed25519.PublicKey
  /// The key that signs commands in all sessions with this host.
  public var identityKey: Ed25519.PublicKey
  /// The controller's key agreement key of this session.
  public var dhKey: X25519.PublicKey

  /// An invitation with any JSON as the application.
  public init(
    controller: CertificateFingerprint, host: TransportHost, port: UInt16,
    versions: VersionRange = RemoteInvitation.supportedVersions, app: String, timestamp: Int64,
    sessionKey: Ed25519.PublicKey, identityKey: Ed25519.PublicKey, dhKey: X25519.PublicKey
  ) {
    self.controller = controller
    self.host = host
    self.port = port
    self.versions = versions
    self.app = app
    self.timestamp = timestamp
    self.sessionKey = sessionKey
    self.identityKey = identityKey
    self.dhKey = dhKey
  }

  /// The application record.
  /// - Throws: `invitation` where the JSON is another one.
  public func appInfo() throws(RemoteControlError) -> ControllerAppInfo {
    do {
      return try ControllerAppInfo(jsonText: app)
    } catch {
      throw .invitation
    }
  }

  /// The text that the session key signs, in the one form that peers verify: the reference verifies signatures over
  /// the text that it writes for the values it read.
  public var unsignedText: String {
    var query = QueryString()
    query.append("v", versions.text)
    query.append("app", app)
    query.append("ts", String(timestamp))
    query.append("skey", Base64URL.string(sessionKey.der))
    query.append("idkey", Base64URL.string(identityKey.der))
    query.append("dh", Base64URL.string(dhKey.der))
    let parameters = query.parameters.map { parameter in
      "\(parameter.name)=\(String(decoding: PercentEncoding.encode(parameter.value), as: UTF8.self))"
    }
    return "xrcp:/\(controller)@\(host):\(port)#/?\(parameters.joined(separator: "&"))"
  }
}

extension VersionRange {
  /// `1-4`, or `4` for a single version.
  fileprivate var text: String { lowest == highest ? "\(lowest)" : "\(lowest)-\(highest)" }
}

// MARK: - The device name

extension RemoteInvitation {
  /// Sets the application, with the device name in the form that every host can read: without `+`, `%` and control
  /// characters, and cut so that the signed invitation fits an announcement (``SignedInvitation/announcedLimit``).
  ///
  /// The reference decodes the value of `app` twice, and refuses invitations that this changes.
  public mutating func setApp(_ info: ControllerAppInfo) {
    var info = info
    let name = info.deviceName
    info.deviceName = ""
    app = info.jsonText()
    var room = SignedInvitation.announcedLimit - SignedInvitation.signaturesSize - unsignedText.utf8.count
    for character in name.prefix(SignedInvitation.announcedLimit) {
      let scalars = character.unicodeScalars.filter { scalar in
        scalar != "+" && scalar != "%" && scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
      }
      let part = String(String.UnicodeScalarView(scalars))
      room -= PercentEncoding.encode(Array(part.jsonBytes().dropFirst().dropLast())).count
      guard room >= 0 else { break }
      info.deviceName += part
    }
    app = info.jsonText()
  }
}
