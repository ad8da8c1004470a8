import ArgumentParser
import ProgramSupport
import RelayChassis
import RelayCommands
import XFTPProtocol
import XFTPServer

/// `xftp-server init | start | delete | cert | import | backup | restore | address | check-config`.
@main
struct XFTPServerCommand: ImportingRelay {
  typealias Settings = FileServerSettings

  static let program = "xftp-server"
  static let configuration = CommandConfiguration(
    commandName: program, abstract: "A relay for files of SimpleX clients.",
    version: ProgramVersion.text(
      of: "XFTP server",
      compatibleWith:
        "versions \(XFTPVersion.supported.lowest) to \(XFTPVersion.supported.highest) of the XFTP protocol"),
    subcommands: [
      InitCommand.self, StartCommand.self, DeleteCommand.self, CertCommand<Self>.self, ImportCommand<Self>.self,
      BackupCommand<Self>.self, RestoreCommand<Self>.self,
      AddressCommand<Self>.self, CheckConfigCommand<Self>.self,
    ])
  static let optionsWithoutValue: [String: String?] = ["--control-port": "5226", "--source-code": nil]

  static func main() async { await runProgram() }

  static var folders: FileServerFolders {
    .fromEnvironment("XFTP_SERVER", configuration: "/etc/opt/simplex-xftp", data: "/var/opt/simplex-xftp")
  }

  static let importedContent = "the files"
  static var importConsequence: String { "\(folders.referenceLog.path) gets the suffix .bak" }

  static func prepareImport() throws { _ = try settings() }

  static func importReference() async throws -> ImportReport {
    let operation = ReferenceFileImport(folders, filesFolder: try settings().filesFolder)
    let report = try operation.run()
    var lines = [
      "Imported \(report.chunks) files, \(report.uploaded) of them with their content, \(report.bytes) bytes"
    ]
    if report.missing > 0 { lines.append("The content of \(report.missing) is missing or has another size") }
    if report.aside > 0 {
      lines.append(
        "Moved \(report.aside) files of no imported file to \(operation.asideFolder); remove them if nothing is missing"
      )
    }
    return ImportReport(lines: lines, problems: report.problems, warnings: report.warnings)
  }
}
