import ArgumentParser
import SMPServer
import SimplexTransport

/// The options of `init` about the operator, for the section `[INFORMATION]`.
struct InformationOptions: ParsableArguments {
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

  func validate() throws {
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
  var section: String {
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

/// The options of `init` about forwarding to other relays, for the section `[PROXY]`.
struct ProxyOptions: ParsableArguments {
  @Option(
    name: .long, help: "SOCKS proxy for onion hosts: [user:password@]host:port (default: localhost:9050)."
  )
  var socksProxy: String?
  @Option(name: .long, help: "Domains of your own relays, separated by commas; counted separately in statistics.")
  var ownDomains: String?

  func validate() throws {
    if let socksProxy, SOCKS5Proxy(setting: socksProxy) == nil {
      throw ValidationError("--socks-proxy must be [user:password@]host:port")
    }
  }

  /// The section of the ini file.
  ///
  /// - Parameter isLoopback: Whether the server listens on the loopback interface only, as for trying it out: then the
  ///   others are there too.
  func section(isLoopback: Bool) -> String {
    """
    [PROXY]
    # How the server forwards messages of its clients to other servers. The password for that is create_password.
    # Which host of a server with several is preferred: public or onion; on for using no others.
    # host_mode = public
    # required_host_mode = off
    # Domains of your own servers, separated by spaces; counted separately in statistics.
    \(ownDomains.map { "own_server_domains = " + $0.split(separator: ",").joined(separator: " ") }
      ?? "# own_server_domains =")
    \(socksProxy.map { "socks_proxy = \($0)" } ?? "# socks_proxy = localhost:9050")
    # onion: the SOCKS proxy is for onion hosts alone; always: for all.
    # socks_mode = onion
    # Whether servers on this machine and in private networks are connected to (127.0.0.1, 10.0.0.0, fe80:: and so on).
    \(isLoopback ? "private_addresses = on" : "# private_addresses = off")
    # How many commands of one client are under way to other servers at once.
    # client_concurrency = 32
    """
  }
}
