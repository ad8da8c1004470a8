import ChatLogic

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Servers that the environment of a process names, for programs whose users have no other way to choose them.
extension ChatOptions {
  /// The environment variable with relays, as ``smpServers`` lists them.
  public static let smpServersVariable = "SIMPLEX_SMP_SERVERS"
  /// The environment variable with file servers, as ``xftpServers`` lists them.
  public static let xftpServersVariable = "SIMPLEX_XFTP_SERVERS"
  /// The environment variable with notification servers, as ``notificationServers`` lists them.
  public static let notificationServersVariable = "SIMPLEX_NTF_SERVERS"

  /// Takes servers from the environment, for each kind of which the options have none: addresses that are separated by
  /// white space. Whether they are addresses is checked when the options are used.
  ///
  /// `ChatOptions` ignores the environment unless a program calls this, as the C library and `simplex-chat` do.
  ///
  /// - Parameter value: The value of a variable; nil where it is not set.
  public mutating func takeServersFromEnvironment(
    _ value: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
  ) {
    func servers(_ variable: String) -> [String] {
      (value(variable) ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }
    if smpServers.isEmpty { smpServers = servers(Self.smpServersVariable) }
    if xftpServers.isEmpty { xftpServers = servers(Self.xftpServersVariable) }
    let named = servers(Self.notificationServersVariable)
    if !named.isEmpty, notificationServers == PresetServers.notificationServers { notificationServers = named }
  }
}
