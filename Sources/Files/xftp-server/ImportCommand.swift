import ArgumentParser
import ProgramSupport
import RelayChassis
import XFTPServer

/// Imports the files of the reference server.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the files of a stopped reference server from its store log in the same folder.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() async throws {
    let folders = XFTPServerCommand.folders
    let settings = try XFTPServerCommand.settings()
    if !yes {
      print("The reference server must be stopped; \(folders.referenceLog) gets the suffix .bak.")
      guard try ServerConsole.ask("Continue? (y/N)").lowercased() == "y" else {
        throw XFTPServerCommand.fail("nothing was imported")
      }
    }
    let files = ReferenceFileImport(folders, filesFolder: settings.filesFolder)
    let report: ReferenceFileImport.Report
    do throws(RelayError) { report = try files.run() } catch {
      throw XFTPServerCommand.fail("nothing was imported: \(error)")
    }
    print("Imported \(report.chunks) files, \(report.uploaded) of them with their content, \(report.bytes) bytes")
    if report.missing > 0 { print("The content of \(report.missing) is missing or has another size") }
    if report.aside > 0 {
      print(
        "Moved \(report.aside) files of no imported file to \(files.asideFolder); remove them if nothing is missing")
    }
    if report.problems > 0 {
      print("Skipped \(report.problems) malformed or inconsistent entries, for example:")
      for example in report.examples { print("  \(example)") }
    }
    guard report.warnings.isEmpty else {
      throw XFTPServerCommand.fail("everything was imported, but: \(report.warnings.joined(separator: "; "))")
    }
  }
}
