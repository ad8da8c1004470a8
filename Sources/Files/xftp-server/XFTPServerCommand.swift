import ArgumentParser
import FileAccess
import ProgramSupport
import RelayChassis
import XFTPProtocol
import XFTPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `xftp-server init | start | delete | cert | import`.
@main
struct XFTPServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "xftp-server", abstract: "A relay for files of SimpleX clients.",
    version: ProgramVersion.text(
      of: "XFTP server",
      compatibleWith:
        "versions \(XFTPVersion.supported.lowest) to \(XFTPVersion.supported.highest) of the XFTP protocol"),
    subcommands: [
      InitCommand.self, StartCommand.self, DeleteCommand.self, CertCommand.self, ImportCommand.self,
    ])

  static func main() async {
    // Files of the server are accessible to its user only.
    umask(0o077)
    await main(adapted(Array(CommandLine.arguments.dropFirst())))
  }

  /// The arguments with `-v` as `--version`, and without the options of the reference's runtime (`+RTS … -RTS`).
  private static func adapted(_ arguments: [String]) -> [String] {
    var adapted: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "+RTS" {
        rest = rest.drop { $0 != "-RTS" }.dropFirst()
      } else {
        adapted.append(argument == "-v" && adapted.isEmpty ? "--version" : argument)
      }
    }
    return adapted
  }

  /// The folders from the environment, or the default ones.
  static var folders: FileServerFolders {
    FileServerFolders(
      configuration: environment("XFTP_SERVER_CFG_PATH") ?? "/etc/opt/simplex-xftp",
      data: environment("XFTP_SERVER_LOG_PATH") ?? "/var/opt/simplex-xftp")
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The settings of an initialized relay.
  static func settings() throws -> FileServerSettings {
    do {
      guard let text = try WholeFile.text(folders.iniFile) else {
        throw fail("the server is not initialized; run: xftp-server init")
      }
      return try FileServerSettings(ServerINI(text), folders)
    } catch RelayError.configuration(let text) {
      throw fail("\(folders.iniFile): \(text)")
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw fail("\(error)")
    }
  }

  static func fail(_ text: String) -> CommandFailure { CommandFailure(description: text) }
}
