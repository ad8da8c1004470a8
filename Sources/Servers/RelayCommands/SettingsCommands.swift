import ArgumentParser
import QRCodes
import RelayChassis

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Prints the address of the relay, with the password; at a terminal also as a QR code.
public struct AddressCommand<Program: RelayMain>: ParsableCommand {
  /// The name and what the help says.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "address",
      abstract: "Print the address for clients, with the password for new content if there is one.")
  }

  public init() {}

  /// Prints the address and, at a terminal, its QR code.
  public func run() throws {
    let settings = try Program.settings()
    let address = settings.address(
      fingerprint: try Program.folders.certificates.fingerprint(), showsPassword: true, port: nil)
    print(address)
    guard isatty(STDOUT_FILENO) == 1, let code = QRCode(address) else { return }
    for row in code.rows { print("\u{1B}[\(QRCode.terminalColors)m\(row)\u{1B}[0m") }
  }
}

/// Checks the settings and certificates as a start or a reload would.
public struct CheckConfigCommand<Program: RelayMain>: ParsableCommand {
  /// The name and what the help says.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check-config",
      abstract: "Check the ini file and the certificates; nothing is changed, and a running server is not disturbed.",
      discussion: "The exit status is 0 if a start and a reload would accept them, also with warnings.")
  }

  public init() {}

  /// Prints the warnings, or throws what is wrong.
  public func run() throws {
    let folders = Program.folders
    let settings = try Program.settings()
    for warning in settings.warnings + ServerConsole.readableKeys(folders.secretFiles) { print("Warning: \(warning)") }
    print("\(folders.iniFile) and the certificates can be used")
  }
}
