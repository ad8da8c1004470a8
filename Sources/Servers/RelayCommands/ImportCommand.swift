import ArgumentParser
import RelayChassis

/// A relay that takes over what the reference server has stored.
public protocol ImportingRelay: RelayMain {
  /// What it takes over, such as "the queues and messages".
  static var importedContent: String { get }
  /// What happens to the files of the reference server, as a phrase that the operator reads before.
  static var importConsequence: String { get }

  /// Fails where the server is not as the import needs it, before anything is asked.
  static func prepareImport() throws
  /// Takes it over.
  /// - Throws: Where nothing was imported; then it can be repeated.
  static func importReference() async throws -> ImportReport
}

extension ImportingRelay {
  /// A no-op by default.
  public static func prepareImport() throws {}
}

/// Imports the files of the reference server.
public struct ImportCommand<Program: ImportingRelay>: AsyncParsableCommand {
  /// The name and what the help says.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "import",
      abstract: "Import \(Program.importedContent) of a stopped reference server from its files in the same folder.")
  }

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  public init() {}

  /// Asks, imports, and says what was taken over.
  public func run() async throws {
    try Program.prepareImport()
    if !yes {
      print("The reference server must be stopped; \(Program.importConsequence).")
      guard try ServerConsole.isConfirmed("Continue?") else {
        throw Program.fail("nothing was imported")
      }
    }
    let report: ImportReport
    do { report = try await Program.importReference() } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw Program.fail("nothing was imported: \(error)")
    }
    for line in report.lines { print(line) }
    if report.problems.count > 0 {
      print("Skipped \(report.problems.count) malformed or inconsistent entries, for example:")
      for example in report.problems.examples { print("  \(example)") }
    }
    guard report.warnings.isEmpty else {
      throw Program.fail("everything was imported, but: \(report.warnings.joined(separator: "; "))")
    }
  }
}
