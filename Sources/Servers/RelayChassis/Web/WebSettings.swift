import SimplexTransport

/// The section `[WEB]`: pages for browsers.
public struct WebSettings: Sendable {
  /// The port on which browsers are served; nil where they are not.
  public let port: Int?
  /// The certificate for them, or why there is none.
  public let credential: Result<TLSCredential, Problem>
  /// The folder into which the pages are written; nil for none, also where that is not safe.
  public let folder: String?
  /// Settings without effect, a sentence each.
  public let warnings: [String]

  /// Why browsers cannot be shown a certificate. The relay serves its clients nevertheless, as the reference server
  /// does before the certificate is there.
  public struct Problem: Error, Hashable, Sendable {
    /// What is wrong, the part of a sentence.
    public let text: String
  }

  /// Reads the settings and the certificate. `ports` are those that the relay listens on, `places` what must not be in
  /// the folder of the pages.
  /// - Throws: Where the port is no number.
  public init(_ ini: ServerINI, ports: [Int], hiding places: PrivatePlaces) throws(RelayError) {
    var warnings: [String] = []
    folder = Self.folder(ini, hiding: places, &warnings)
    if ini.text("WEB", "http") != nil {
      warnings.append(
        "[WEB] http has no effect: pages are served with TLS only; static_path has them for other servers")
    }
    for (section, key) in ini.names where section == "WEB" && !Self.names.contains(key) {
      warnings.append("[WEB] \(key) is unknown and has no effect")
    }
    port = try Self.port(ini, ports: ports, &warnings)
    credential = Self.credential(ini)
    self.warnings = warnings
  }

  /// The settings that are read.
  public static let names: Set<String> = ["static_path", "http", "https", "cert", "key"]

  private static func folder(
    _ ini: ServerINI, hiding places: PrivatePlaces, _ warnings: inout [String]
  ) -> String? {
    guard let folder = ini.text("WEB", "static_path"), !folder.isEmpty else { return nil }
    var places = places
    if let key = ini.text("WEB", "key") { places.add(key, "the key of the certificate for browsers") }
    guard let problem = places.problem(ofPages: folder) else { return folder }
    warnings.append("[WEB] static_path = \(folder) has no effect, and no pages are written: \(problem)")
    return nil
  }

  private static func port(_ ini: ServerINI, ports: [Int], _ warnings: inout [String]) throws(RelayError) -> Int? {
    guard ini.text("WEB", "https") != nil else { return nil }
    let port = Int(try ini.number("WEB", "https", default: 443, in: 0...65_535))
    guard ports.contains(port) else {
      warnings.append("[WEB] https has no effect: \(port) is not one of the ports in [TRANSPORT] port")
      return nil
    }
    return port
  }

  private static func credential(_ ini: ServerINI) -> Result<TLSCredential, Problem> {
    guard let chain = ini.text("WEB", "cert"), let key = ini.text("WEB", "key") else {
      return .failure(Problem(text: "cert and key are not set"))
    }
    do {
      let credential = try TLSCredential(chainFiles: [chain], keyFile: key)
      try credential.checkForBrowsers()
      return .success(credential)
    } catch {
      return .failure(Problem(text: "cert and key cannot be used (\(error))"))
    }
  }
}
