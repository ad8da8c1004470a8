import ArgumentParser
import NotificationProtocol
import NotificationServer
import ProgramSupport
import RelayChassis
import RelayCommands

/// `ntf-server init | start | delete | cert | backup | restore | address | check-config`.
@main
struct NtfServerCommand: RelayMain {
  typealias Settings = NotificationServerSettings

  static let program = "ntf-server"
  static let configuration = CommandConfiguration(
    commandName: program, abstract: "A server that sends push notifications to devices of SimpleX clients.",
    version: ProgramVersion.text(
      of: "Notification server",
      compatibleWith:
        "versions \(NotificationVersion.supported.lowest) to \(NotificationVersion.supported.highest) of the NTF protocol"
    ),
    subcommands: [
      InitCommand.self, StartCommand.self, DeleteCommand.self, CertCommand<Self>.self, BackupCommand<Self>.self,
      RestoreCommand<Self>.self, AddressCommand<Self>.self, CheckConfigCommand<Self>.self,
    ])
  static let optionsWithoutValue: [String: String?] = ["--control-port": "5227", "--source-code": nil]

  static func main() async { await runProgram() }

  static var folders: NotificationServerFolders {
    .fromEnvironment(
      "NTF_SERVER", configuration: "/etc/opt/simplex-notifications", data: "/var/opt/simplex-notifications")
  }
}
