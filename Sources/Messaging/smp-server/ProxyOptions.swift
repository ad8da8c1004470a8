import ArgumentParser
import SMPServer
import SimplexTransport

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
