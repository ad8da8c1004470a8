import RelayChassis
import SMPProtocol
import SimplexTransport
import WireCodec
import XFTPProtocol

/// The settings of an ini file: the relay's configuration, and its services. Those that every relay has are members,
/// too (``RelayChassis/CommonSettings``).
@dynamicMemberLookup
public struct FileServerSettings: RelaySettings, PublishedPages {
  /// The configuration of the relay.
  public var server: XFTPServerConfiguration
  /// The settings that every relay has.
  public var common: CommonSettings
  /// The folder for chunks.
  public var filesFolder: String
  /// The bytes that all chunks may have together; nil for any number.
  public var quota: Int64?
  /// The folder into which the pages for browsers are written, and of which they are shown other files; nil for none.
  public var webFolder: String?
  /// Why the pages could not be written.
  public var pagesProblem: String?
  /// Settings that this relay ignores, a sentence each.
  public var warnings: [String]
  /// The file that the settings are from.
  var ini: ServerINI
  /// The file that the relay was started with.
  let startINI: ServerINI

  /// Reads settings and certificates.
  public init(_ ini: ServerINI, _ folders: FileServerFolders) throws(RelayError) {
    let credential = try folders.credential(program: "xftp-server")
    common = try CommonSettings(ini)
    let port = try ini.number("TRANSPORT", "port", default: 443, in: 0...65_535)
    server = XFTPServerConfiguration(host: common.bind, port: Int(port), credential: credential)
    guard let folder = ini.text("FILES", "path"), !folder.isEmpty else {
      throw .configuration("[FILES] path, the folder for files, is not set")
    }
    filesFolder = folder
    server.share = common.share
    quota = try Self.quota(ini)
    server.allowsNewFiles = try ini.isOn("AUTH", "new_files", default: true)
    server.basicAuth = common.createPassword
    let hours = try ini.number(
      "STORE_LOG", "expire_files_hours", default: ChunkLifetime.seconds / 3600, in: 0...1_000_000)
    server.fileTTL = hours * 3600
    server.inactivity = common.inactivity.map { (.seconds($0.ttl), .seconds($0.interval)) }
    var places = PrivatePlaces(folders)
    places.add(folder, "the parts of files")
    let web = try WebSettings(ini, ports: [Int(port)], hiding: places)
    webFolder = web.folder
    server.staticFolder = web.folder.map { StaticFolder($0) }
    warnings = try Self.warnings(ini) + web.warnings
    self.ini = ini
    startINI = ini
    switch web.credential {
    case .success(let credential): server.webCredential = credential
    case .failure(let problem):
      if ini.text("WEB", "cert") != nil { warnings.append("[WEB] browsers are not served: \(problem.text)") }
    }
    server.site = server.webCredential == nil ? nil : site
  }

  /// A setting that every relay has.
  public subscript<Value>(dynamicMember path: WritableKeyPath<CommonSettings, Value>) -> Value {
    get { common[keyPath: path] }
    set { common[keyPath: path] = newValue }
  }

  private static func quota(_ ini: ServerINI) throws(RelayError) -> Int64? {
    guard let text = ini.text("FILES", "storage_quota") else { return nil }
    guard let quota = try? FileSize.codec.decode(text: text) else {
      throw .configuration("[FILES] storage_quota is \(text), not a size such as 100gb")
    }
    return quota
  }

  /// The address that clients use: `xftp://fingerprint[:password]@host[,host][:port]`.
  ///
  /// - Parameter port: The port that is bound, where the system chose it.
  public func address(fingerprint: [UInt8], showsPassword: Bool = true, port bound: Int? = nil) -> String {
    common.address(
      "xftp", fingerprint: fingerprint, showsPassword: showsPassword, port: bound ?? server.port, usualPort: 443)
  }
}

extension FileServerSettings {
  private static let sqlite = "what is known about files is kept in SQLite"

  /// The settings that are read.
  static let names = ForeignSettings(
    [
      "STORE_LOG": [
        "store_files": .init(same: ["memory"], here: sqlite), "db_store_log": .init(same: ["off"], here: sqlite),
        "db_connection": .init(here: sqlite), "db_schema": .init(here: sqlite), "db_pool_size": .init(here: sqlite),
        "db_deleted_ttl": .init(here: sqlite),
      ]
    ],
    own: [
      "STORE_LOG": ["enable", "expire_files_hours"], "AUTH": ["new_files"], "FILES": ["path", "storage_quota"],
    ])

  /// The settings in the file that have no effect.
  private static func warnings(_ ini: ServerINI) throws(RelayError) -> [String] {
    guard try !ini.isOn("STORE_LOG", "enable", default: true) else { return names.warnings(ini) }
    return ["[STORE_LOG] enable = off has no effect: files and what is known about them are always stored"]
      + names.warnings(ini)
  }
}
