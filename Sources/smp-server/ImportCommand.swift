import ArgumentParser
import SMPServer

/// Takes over the queues and messages of the reference server.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take over the queues and messages of the reference server, which has to be stopped.",
    discussion: """
      It reads smp-server-store.log and smp-server-messages.log, which are not changed, and makes the database. Where \
      the reference server kept messages in a journal, let it write the second file: smp-server journal export.
      """)

  @Option(name: .long, help: "The log of queues; smp-server-store.log in the folder of data unless given.")
  var storeLog: String?
  @Option(name: .long, help: "The file of messages; smp-server-messages.log in the folder of data unless given.")
  var messages: String?
  @Flag(name: .long, help: "Leave out what cannot be taken over, such as a line that was cut off by a crash.")
  var skipWarnings = false

  func run() async throws {
    let folders = SMPServerCommand.folders
    let messages = messages ?? folders.referenceMessagesFile
    if !TextFile.exists(messages), TextFile.exists(folders.referenceJournal), !skipWarnings {
      throw SMPServerCommand.fail(
        """
        there is no \(messages), but a journal in \(folders.referenceJournal); let the reference server write the file: \
        smp-server journal export
        """)
    }
    let result: (report: StoreImport.Report, isMade: Bool)
    do {
      result = try await ImportedDatabase(path: folders.databaseFile).make(
        queues: storeLog ?? folders.referenceQueuesFile, messages: messages,
        acceptsProblems: skipWarnings)
    } catch {
      throw SMPServerCommand.fail("nothing was imported: \(error)")
    }
    let report = result.report
    for problem in report.firstProblems { print(problem) }
    if report.problems > report.firstProblems.count { print("and so on, \(report.problems) in all") }
    guard result.isMade else {
      throw SMPServerCommand.fail("nothing was imported; to leave out these lines: smp-server import --skip-warnings")
    }
    print("Imported \(report.records) records of queues and \(report.messages) messages into \(folders.databaseFile)")
  }
}
