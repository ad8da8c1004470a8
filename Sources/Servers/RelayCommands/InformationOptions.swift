import ArgumentParser
import RelayChassis

/// The options of `init` about the operator, for the section `[INFORMATION]`.
public struct InformationOptions: ParsableArguments {
  @Option(name: .long, help: "URI of the source code, if it was modified; no value if it was not.")
  var sourceCode: String?
  @Option(name: .customLong("operator"), help: "Who runs the server: a person or an organization.")
  var operatorName: String?
  @Option(name: .long, help: "Country of the operator: ISO 3166 code of two letters.")
  var operatorCountry: String?
  @Option(name: .long, help: "Website of the operator.")
  var operatorWebsite: String?
  @Option(name: .long, help: "Hosting provider.")
  var hosting: String?
  @Option(name: .long, help: "Country of the hosting provider: ISO 3166 code of two letters.")
  var hostingCountry: String?
  @Option(name: .long, help: "virtual, dedicated, colocation or owned.")
  var hostingType: String?
  @Option(name: .long, help: "Country where the server is: ISO 3166 code of two letters.")
  var serverCountry: String?

  public init() {}

  /// Refuses unknown countries and kinds of hosting.
  public func validate() throws {
    for country in [operatorCountry, hostingCountry, serverCountry].compactMap(\.self)
    where !ServerInformation.isCountry(country) {
      throw ValidationError("\(country) is not an ISO 3166 country code of two letters")
    }
    if let hostingType, !ServerInformation.hostingTypes.contains(hostingType) {
      throw ValidationError("--hosting-type must be one of \(ServerInformation.hostingTypes.joined(separator: ", "))")
    }
  }

  private func line(_ name: String, _ value: String?, example: String) -> String {
    value.map { "\(name) = \($0)" } ?? "# \(name) = \(example)"
  }

  /// The section of the ini file.
  public var section: String {
    """
    [INFORMATION]
    # Where the source code of this server is, if it was changed (the AGPL asks for it).
    \(line("source_code", sourceCode, example: "URI"))
    # All that follows is optional; it is printed when the server starts.
    # usage_conditions = URI
    # condition_amendments = URI
    \(line("server_country", serverCountry, example: "code of two letters"))
    \(line("operator", operatorName, example: "person or organization"))
    \(line("operator_country", operatorCountry, example: "code of two letters"))
    \(line("website", operatorWebsite, example: "URI"))
    # admin_simplex, admin_email, admin_pgp, admin_pgp_fingerprint = contacts of the administrators
    # complaints_simplex, complaints_email, complaints_pgp, complaints_pgp_fingerprint = contacts for complaints
    \(line("hosting", hosting, example: "provider"))
    \(line("hosting_country", hostingCountry, example: "code of two letters"))
    # virtual, dedicated, colocation or owned
    \(line("hosting_type", hostingType, example: "virtual"))
    """
  }
}
