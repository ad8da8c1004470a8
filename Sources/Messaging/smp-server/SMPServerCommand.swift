import ArgumentParser
import FileAccess
import ProgramSupport
import SMPProtocol
import SMPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `smp-server init | start | check | delete | cert | import`.
@main
struct SMPServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smp-server", abstract: "A relay for SimpleX messages.",
    version: ProgramVersion.text(
      of: "SMP server",
      compatibleWith:
        "versions \(SMPVersion.supported.lowest) to \(SMPVersion.supported.highest) of the SMP protocol"),
    subcommands: [
      InitCommand.self, StartCommand.self, CheckCommand.self, DeleteCommand.self, CertCommand.self, ImportCommand.self,
    ])

  static func main() async {
    // Files of the server are accessible to its user only.
    umask(0o077)
    await main(ReferenceArguments.adapted(Array(CommandLine.arguments.dropFirst())))
  }

  /// The folders from the environment, or the default ones.
  static var folders: ServerFolders {
    ServerFolders(
      configuration: environment("SMP_SERVER_CFG_PATH") ?? "/etc/opt/simplex",
      data: environment("SMP_SERVER_LOG_PATH") ?? "/var/opt/simplex")
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The settings of an initialized relay.
  static func settings() throws -> ServerSettings {
    do {
      guard let text = try WholeFile.text(folders.iniFile) else {
        throw fail("the server is not initialized; run: smp-server init")
      }
      return try ServerSettings(ServerINI(text), folders)
    } catch SMPServerError.configuration(let text) {
      throw fail("\(folders.iniFile): \(text)")
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw fail("\(error)")
    }
  }

  /// Prompts on the terminal and reads a line; an empty one selects the default.
  static func ask(_ question: String, _ usual: String = "") throws -> String {
    try ServerConsole.ask(question, usual)
  }

  /// Prints a line with the time.
  static func log(_ text: String, isError: Bool = false) { ServerConsole.log(text, isError: isError) }

  static func fail(_ text: String) -> CommandFailure { CommandFailure(description: text) }
}
