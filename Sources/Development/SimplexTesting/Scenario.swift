import Foundation

/// A conversation as text: what profiles type, and the responses and events that they get.
///
///     profiles alice bob                 starts a controller for each
///     contacts alice bob                 connects them by an invitation
///     alice ##> /connect                 a command
///     alice <## invitation | connLinkInvitation.connShortLink -> link
///     bob ##> /connect ${link}           what was kept is put in
///     bob <# contactConnected | contact.localDisplayName = alice
///
/// `<##` is the answer to the last command, `<#` an event that comes sooner or later; both are named by their tag, and
/// may be followed by members that have a value or are kept by a name. `<?` repeats the last command as long as it is
/// not answered so. `leave alice` ends a profile until `restart alice`; that, `relay stop` and `relay start` do what
/// they say; `rest` waits for a limited time until nothing is under way. Between `session begin` and `session end` are
/// lines about what ends with a program, such as a call: no program is killed there. `${folder}` is where files can be:
/// `file photo.jpg 1000` makes one of so many bytes there, `equal one two` compares two, and `gone name` waits until
/// there is none. Scenarios in the folder `files` have a file relay.
///
/// Where it is played decides the world: controllers of this process, or programs of their own.
public struct Scenario {
  /// Commands that remove or stop somebody or something.
  static let ending = [
    "/_app suspend", "/_clear", "/_db", "/_delete", "/_leave", "/_remove", "/_stop", "/d ", "/delete", "/l ", "/leave",
    "/rm ",
  ]

  private let lines: [(number: Int, text: String)]

  /// Reads a scenario; its errors are reported when it is run.
  public init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { ($0.offset + 1, String($0.element).trimmingCharacters(in: .whitespaces)) }
      .filter { !$0.1.isEmpty && !$0.1.hasPrefix("#") }
  }

  /// All scenarios of `Tests/Scenarios`, by the names of their files.
  public static let all: [(name: String, text: String)] = {
    let folder = Vectors.folder.deletingLastPathComponent().appendingPathComponent("Scenarios")
    let names = ["", "files/", "groups/"].flatMap { inner in
      let found = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + inner)
      return (found ?? []).map { inner + $0 }
    }
    return names.filter { $0.hasSuffix(".chat") }.sorted().compactMap { name in
      (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)).map { (name, $0) }
    }
  }()

  /// What was kept, by the numbers of the lines.
  public typealias Kept = [Int: [String: String]]

  /// Runs the scenario.
  /// - Parameter known: what an earlier run kept, used for lines whose answer or event a profile may lack.
  /// - Throws: ``Unexpected``, with the first line that failed.
  @discardableResult
  public func run<World: ScenarioWorld>(in world: World, known: Kept = [:]) async throws -> Kept {
    let run = ScenarioRun(in: world, known: known)
    for (number, line) in lines {
      do {
        try await run.perform(line, number: number)
      } catch {
        throw Unexpected(description: "line \(number): \(line)\n\(error)")
      }
    }
    return run.keptByLine
  }
}
