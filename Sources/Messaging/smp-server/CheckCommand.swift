import ArgumentParser
import FileAccess
import QueueStore
import SMPServer

/// Verifies the stored queues and messages of a stopped relay.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify the stored queues and messages of a stopped server; nothing is changed.",
    discussion: """
      Reads the whole database and the journal of messages. Prints what is there and each problem found; the exit status is \
      0 if there is none.
      """)

  func run() throws {
    let path = SMPServerCommand.folders.databaseFile
    guard PathStatus.exists(path) else {
      throw SMPServerCommand.fail("there is no database at \(path) yet; smp-server start makes it")
    }
    let check: StoreCheck
    do { check = try StoreCheck(path: path) } catch {
      if case .unavailable = error {
        throw SMPServerCommand.fail(
          "\(path) is in use\(LockHolder.note(of: path + "-messages")); stop the server first")
      }
      throw SMPServerCommand.fail("\(path) cannot be checked: \(error.sentence)")
    }
    for note in check.notes { print(note) }
    for problem in check.problems { print("Problem: \(problem)") }
    guard check.problems.isEmpty else {
      throw SMPServerCommand.fail("\(check.problems.count) problems found; copy the files before the next start")
    }
    print("No problems found")
  }
}
