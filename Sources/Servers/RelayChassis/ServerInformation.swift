/// The section `[INFORMATION]` about a relay and its operator: read, validated and printed when the relay starts.
public struct ServerInformation: Hashable, Sendable {
  /// The known settings, in the order in which they are printed.
  public static let names = [
    "source_code", "usage_conditions", "condition_amendments", "server_country", "operator", "operator_country",
    "website", "admin_simplex", "admin_email", "admin_pgp", "admin_pgp_fingerprint", "complaints_simplex",
    "complaints_email", "complaints_pgp", "complaints_pgp_fingerprint", "hosting", "hosting_country", "hosting_type",
  ]

  /// Kinds of hosting.
  public static let hostingTypes = ["virtual", "dedicated", "colocation", "owned"]

  /// The values.
  public let values: [String: String]

  /// Reads and validates the settings.
  /// - Throws: ``RelayError/configuration(_:)`` for an invalid country code or type of hosting.
  public init(_ ini: ServerINI) throws(RelayError) {
    var values: [String: String] = [:]
    for name in Self.names {
      guard let value = ini.text("INFORMATION", name), !value.isEmpty else { continue }
      values[name] = name.hasSuffix("_country") ? value.uppercased() : value
      if name.hasSuffix("_country"), !Self.isCountry(value) {
        throw .configuration("[INFORMATION] \(name) must be an ISO 3166 country code of two letters")
      }
    }
    if let type = values["hosting_type"], !Self.hostingTypes.contains(type) {
      throw .configuration("[INFORMATION] hosting_type must be one of \(Self.hostingTypes.joined(separator: ", "))")
    }
    self.values = values
  }

  /// Whether a text has the form of a country code.
  public static func isCountry(_ text: String) -> Bool {
    text.utf8.count == 2 && text.utf8.allSatisfy { (97...122).contains($0 | 32) }
  }

  /// A line for each setting.
  public var text: String {
    Self.names.compactMap { name in values[name].map { "\(name): \($0)" } }.joined(separator: "\n")
  }
}
