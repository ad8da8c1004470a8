import SimplexTransport

/// The section `[WEB]`: pages for browsers.
public struct WebSettings: Sendable {
  /// The port on which browsers are served, and the certificate for them; nil where they are not.
  public let service: (port: Int, credential: TLSCredential)?
  /// The folder into which the pages are written; nil for none.
  public let folder: String?
  /// Settings without effect, a sentence each.
  public let warnings: [String]

  /// Reads the settings. `ports` are those that the relay listens on.
  /// - Throws: Where the certificate cannot be used.
  public init(_ ini: ServerINI, ports: [Int]) throws(RelayError) {
    folder = ini.text("WEB", "static_path").flatMap { $0.isEmpty ? nil : $0 }
    var warnings: [String] = []
    if ini.text("WEB", "http") != nil {
      warnings.append(
        "[WEB] http has no effect: pages are served with TLS only; static_path has them for other servers")
    }
    for (section, key) in ini.names where section == "WEB" && !Self.names.contains(key) {
      warnings.append("[WEB] \(key) is unknown and has no effect")
    }
    service = try Self.service(ini, ports: ports, &warnings)
    self.warnings = warnings
  }

  /// The settings that are read.
  public static let names: Set<String> = ["static_path", "http", "https", "cert", "key"]

  private static func service(
    _ ini: ServerINI, ports: [Int], _ warnings: inout [String]
  ) throws(RelayError) -> (port: Int, credential: TLSCredential)? {
    guard ini.text("WEB", "https") != nil else { return nil }
    let port = Int(try ini.number("WEB", "https", default: 443, in: 0...65_535))
    guard ports.contains(port) else {
      warnings.append("[WEB] https has no effect: \(port) is not one of the ports in [TRANSPORT] port")
      return nil
    }
    guard let chain = ini.text("WEB", "cert"), let key = ini.text("WEB", "key") else {
      warnings.append("[WEB] https has no effect without cert and key")
      return nil
    }
    do { return (port, try TLSCredential(chainFiles: [chain], keyFile: key)) } catch {
      // The relay serves its clients nevertheless, as the reference server does before the certificate is there.
      warnings.append("[WEB] https has no effect: cert and key cannot be used (\(error))")
      return nil
    }
  }
}
