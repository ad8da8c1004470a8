import ArgumentParser
import SMPServer

/// Takes over what the reference server stored.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take over queues and messages of a reference server that was stopped, from its files in the same folder."
  )

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() async throws {
    let folders = SMPServerCommand.folders
    if !yes {
      print("The reference server has to be stopped; its files in \(folders.data) get the suffix .bak.")
      guard try SMPServerCommand.ask("Go on? (yN)").lowercased() == "y" else {
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
    print("Left out, as they could not be read or did not fit: \(report.problems), for example")
    for example in report.examples { print("  \(example)") }
  }
}
