import ArgumentParser
import SMPServer
import SimplexTransport

/// What `init` is told of the operator, for the section `[INFORMATION]`.
struct InformationOptions: ParsableArguments {
  @Option(name: .long, help: "URI of the source code, where it was changed; without a value it was not.")
  var sourceCode: String?
  @Option(name: .customLong("operator"), help: "Who runs the server: a person or an organization.")
  var operatorName: String?
  @Option(name: .long, help: "Country of the operator: a code of two letters.")
  var operatorCountry: String?
  @Option(name: .long, help: "Website of the operator.")
  var operatorWebsite: String?
  @Option(name: .long, help: "Hosting provider.")
  var hosting: String?
  @Option(name: .long, help: "Country of the hosting provider: a code of two letters.")
  var hostingCountry: String?
  @Option(name: .long, help: "virtual, dedicated, colocation or owned.")
  var hostingType: String?
  @Option(name: .long, help: "Country where the server is: a code of two letters.")
  var serverCountry: String?

  func validate() throws {
    for country in [operatorCountry, hostingCountry, serverCountry].compactMap(\.self)
    where !ServerInformation.isCountry(country) {
      throw ValidationError("\(country) is no code of a country with two letters (ISO 3166)")
    }
    if let hostingType, !ServerInformation.hostingTypes.contains(hostingType) {
      throw ValidationError("--hosting-type has to be one of \(ServerInformation.hostingTypes.joined(separator: ", "))")
    }
  }

  private func line(_ name: String, _ value: String?, _ example: String) -> String {
    value.map { "\(name) = \($0)" } ?? "# \(name) = \(example)"
  }

  /// The section of the ini file.
  var section: String {
    """
    [INFORMATION]
    # Where the source code of this server is, if it was changed (the AGPL asks for it).
    \(line("source_code", sourceCode, "URI"))
    # All that follows is optional; it is printed when the server starts.
    # usage_conditions = URI
    # condition_amendments = URI
    \(line("server_country", serverCountry, "code of two letters"))
    \(line("operator", operatorName, "person or organization"))
    \(line("operator_country", operatorCountry, "code of two letters"))
    \(line("website", operatorWebsite, "URI"))
    # admin_simplex, admin_email, admin_pgp, admin_pgp_fingerprint = contacts of the administrators
    # complaints_simplex, complaints_email, complaints_pgp, complaints_pgp_fingerprint = contacts for complaints
    \(line("hosting", hosting, "provider"))
    \(line("hosting_country", hostingCountry, "code of two letters"))
    # virtual, dedicated, colocation or owned
    \(line("hosting_type", hostingType, "virtual"))
    """
  }
}

/// What `init` is told of forwarding to other relays, for the section `[PROXY]`.
struct ProxyOptions: ParsableArguments {
  @Option(
    name: .long, help: "SOCKS proxy for onion hosts of other relays, [user:password@]host:port; localhost:9050 if bare."
  )
  var socksProxy: String?
  @Option(name: .long, help: "Domains of your own relays, separated by commas; statistics count them apart.")
  var ownDomains: String?

  func validate() throws {
    if let socksProxy, SOCKS5Proxy(setting: socksProxy) == nil {
      throw ValidationError("--socks-proxy has to be [user:password@]host:port")
    }
  }

  /// The section of the ini file.
  var section: String {
    """
    [PROXY]
    # How the server forwards messages of its clients to other servers. The password for that is create_password.
    # Which host of a server with several is preferred: public or onion; on for using no others.
    # host_mode = public
    # required_host_mode = off
    # Domains of your own servers, separated by spaces; statistics count them apart.
    \(ownDomains.map { "own_server_domains = " + $0.split(separator: ",").joined(separator: " ") }
      ?? "# own_server_domains =")
    \(socksProxy.map { "socks_proxy = \($0)" } ?? "# socks_proxy = localhost:9050")
    # onion: the SOCKS proxy is for onion hosts alone; always: for all.
    # socks_mode = onion
    # How many commands of one client are under way to other servers at once.
    # client_concurrency = 32
    """
  }
}
