import ArgumentParser
import ProgramSupport
import RelayCommands
import SMPProtocol
import SMPServer

/// `smp-server init | start | check | delete | cert | import | backup | restore | address | check-config`.
@main
struct SMPServerCommand: ImportingRelay {
  typealias Settings = ServerSettings

  static let program = "smp-server"
  static let configuration = CommandConfiguration(
    commandName: program, abstract: "A relay for SimpleX messages.",
    version: ProgramVersion.text(
      of: "SMP server",
      compatibleWith:
        "versions \(SMPVersion.supported.lowest) to \(SMPVersion.supported.highest) of the SMP protocol"),
    subcommands: [
      InitCommand.self, StartCommand.self, CheckCommand.self, DeleteCommand.self, CertCommand<Self>.self,
      ImportCommand<Self>.self, BackupCommand<Self>.self, RestoreCommand<Self>.self,
      AddressCommand<Self>.self, CheckConfigCommand<Self>.self,
    ])
  static let optionsWithoutValue: [String: String?] = [
    "--control-port": "5224", "--socks-proxy": "localhost:9050", "--source-code": nil,
  ]

  static func main() async { await runProgram() }

  static var folders: ServerFolders {
    .fromEnvironment("SMP_SERVER", configuration: "/etc/opt/simplex", data: "/var/opt/simplex")
  }

  static let importedContent = "the queues and messages"
  static var importConsequence: String { "its files in \(folders.data) get the suffix .bak" }

  static func importReference() async throws -> ImportReport {
    let report = try await ReferenceImport(folders).run()
    let (stored, services) = (report.stored, report.stored.recipientServices.services)
    let line =
      "Imported \(stored.queues) queues, \(stored.messages) messages, \(report.notifications) notifications, "
      + "\(services + stored.notifierServices.services) services"
    return ImportReport(lines: [line], problems: report.problems)
  }
}
