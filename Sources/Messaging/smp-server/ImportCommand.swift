import ArgumentParser
import SMPServer

/// Imports the files of the reference server.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the queues and messages of a stopped reference server from its files in the same folder."
  )

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() async throws {
    let folders = SMPServerCommand.folders
    if !yes {
      print("The reference server must be stopped; its files in \(folders.data) get the suffix .bak.")
      guard try SMPServerCommand.ask("Continue? (y/N)").lowercased() == "y" else {
        throw SMPServerCommand.fail("nothing was imported")
      }
    }
    let report: ReferenceImport.Report
    do { report = try await ReferenceImport(folders).run() } catch {
      throw SMPServerCommand.fail("nothing was imported: \(error)")
    }
    print(
      "Imported \(report.stored.queues) queues, \(report.stored.messages) messages, \(report.notifications) notifications,",
      "\(report.stored.recipientServices.services + report.stored.notifierServices.services) services")
    guard report.problems > 0 else { return }
    print("Skipped \(report.problems) malformed or inconsistent entries, for example:")
    for example in report.examples { print("  \(example)") }
  }
}
