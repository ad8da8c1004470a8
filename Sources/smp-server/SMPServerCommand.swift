import ArgumentParser
import SMPProtocol
import SMPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `smp-server init | start | delete | cert | import`.
@main
struct SMPServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smp-server", abstract: "A relay for SimpleX messages.",
    version: """
      SMP server (Swift), versions \(SMPVersion.supported.lowest) to \(SMPVersion.supported.highest) of the protocol
      """,
    subcommands: [InitCommand.self, StartCommand.self, DeleteCommand.self, CertCommand.self, ImportCommand.self])

  static func main() async {
    // What the server writes is for its user alone.
    umask(0o077)
    await main(ReferenceArguments.adapted(Array(CommandLine.arguments.dropFirst())))
  }

  /// The folders of the environment, or the usual ones.
  static var folders: ServerFolders {
    ServerFolders(
      configuration: environment("SMP_SERVER_CFG_PATH") ?? "/etc/opt/simplex",
      data: environment("SMP_SERVER_LOG_PATH") ?? "/var/opt/simplex")
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The settings of an initialized relay.
  static func settings() throws -> ServerSettings {
    guard let text = try TextFile.read(folders.iniFile) else {
      throw ValidationError("the server is not initialized; run: smp-server init")
    }
    return try ServerSettings(ServerINI(text), folders)
  }

  /// Asks on the terminal and reads a line; an empty one is the usual answer.
  static func ask(_ question: String, _ usual: String = "") throws -> String {
    print(usual.isEmpty ? question : "\(question) [\(usual)]:", terminator: " ")
    flushOutput()
    guard let answer = readLine() else { throw fail("nobody answers; see --help for doing without questions") }
    return answer.isEmpty ? usual : answer
  }

  static func fail(_ text: String) -> CommandFailure { CommandFailure(description: text) }
}

/// Why a command could not be carried out; printed after "Error:".
struct CommandFailure: Error, CustomStringConvertible {
  let description: String
}

/// Lets a reader of the output see what was printed.
func flushOutput() { fflush(nil) }
