import Foundation
import SimplexJSON

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
/// they say; `${folder}` is where files can be. `file photo.jpg 1000` makes one of so many bytes there, `equal one two`
/// compares two, and `gone name` waits until there is none. Scenarios in the folder `files` have a file relay.
///
/// Where it is played decides the world: controllers of this process, or programs of their own.
public struct Scenario {
  private enum Condition {
    case equal([String], String)
    case keep([String], String)
  }

  /// Commands that remove or stop somebody or something.
  private static let ending = [
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
  /// - Parameter known: what an earlier run kept, for lines that a profile excuses.
  /// - Throws: ``Unexpected``, with the first line that failed.
  @discardableResult
  public func run<World: ScenarioWorld>(in world: World, known: Kept = [:]) async throws -> Kept {
    var keptByLine: Kept = [:]
    var cores: [String: World.Profile] = [:]
    var answers: [String: JSONValue] = [:]
    var commands: [String: String] = [:]
    var kept = ["folder": world.folder.path]
    for (number, line) in lines {
      do {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words[0], words.count > 1 ? words[1] : "") {
        case ("profiles", _):
          for name in line.split(separator: " ").dropFirst() {
            cores[String(name)] = try await world.scenarioProfile(String(name))
          }
        case ("contacts", let first):
          guard words.count > 2, let one = cores[first], let other = cores[words[2]] else {
            throw Unexpected(description: "contacts of whom?")
          }
          try await world.connect(one, other)
        case ("leave", let name):
          try await world.settle()
          await world.leave(name)
        case ("restart", let name): cores[name] = try await world.restart(name)
        case ("file", let name):
          guard words.count > 2, let size = Int(words[2]) else { throw Unexpected(description: "of which size?") }
          try Self.makeFile(world.folder.appendingPathComponent(name), size)
        case ("equal", let name):
          let files = [name, words.count > 2 ? words[2] : ""].map { world.folder.appendingPathComponent($0) }
          guard try Data(contentsOf: files[0]) == Data(contentsOf: files[1]) else {
            throw Unexpected(description: "the files differ")
          }
        case ("gone", let name):
          let path = world.folder.appendingPathComponent(name).path
          let end = ContinuousClock.now + .seconds(20)
          while FileManager.default.fileExists(atPath: path) {
            guard .now < end else { throw Unexpected(description: "\(path) is still there") }
            try await world.wait(.milliseconds(20))
          }
        case ("relay", "stop"):
          try await world.settle()
          try await world.stopRelay()
        case ("relay", "start"): try await world.startRelay()
        case (let name, "##>"):
          guard let core = cores[name] else { throw Unexpected(description: "no profile \(name)") }
          let command = try Self.filled(words[2], kept)
          commands[name] = command
          if Self.ending.contains(where: command.hasPrefix) { try await world.settle() }
          answers[name] = try await core.answer(command)
        case (let name, "<##"):
          guard let answer = answers[name] else { throw Unexpected(description: "no answer") }
          let (tag, conditions) = try Self.expectation(words[2], kept)
          if answer["type"]?.stringValue == tag, Self.holds(conditions, answer) {
            keptByLine[number] = Self.kept(conditions, of: answer)
          } else if cores[name]?.excuses(.answer) == true {
            keptByLine[number] = known[number]
          } else {
            throw Unexpected(description: "\(Self.differences(conditions, answer)); answered \(answer.jsonText())")
          }
        case (let name, "<?"):
          guard let core = cores[name], let command = commands[name] else {
            throw Unexpected(description: "no command")
          }
          let (tag, conditions) = try Self.expectation(words[2], kept)
          let end = ContinuousClock.now + .seconds(20)
          // A command that was answered as expected is not repeated.
          var answer = answers[name] ?? .null
          while answer["type"]?.stringValue != tag || !Self.holds(conditions, answer) {
            guard .now < end else {
              if core.excuses(.answer) { break }
              throw Unexpected(
                description: "\(Self.differences(conditions, answer)); still answered \(answer.jsonText())")
            }
            try await world.wait(.milliseconds(20))
            answer = try await core.answer(command)
          }
          answers[name] = answer
          keptByLine[number] = Self.kept(conditions, of: answer)
            .merging(known[number] ?? [:]) { value, _ in value }
        case (let name, "<#"):
          guard let core = cores[name] else { throw Unexpected(description: "no profile \(name)") }
          let (tag, conditions) = try Self.expectation(words[2], kept)
          do {
            let event = try await core.events.first(tag) { Self.holds(conditions, $0) }
            keptByLine[number] = Self.kept(conditions, of: event)
          } catch {
            guard core.excuses(.event) else { throw error }
            keptByLine[number] = known[number]
          }
        default: throw Unexpected(description: "not understood")
        }
        kept.merge(keptByLine[number] ?? [:]) { $1 }
      } catch {
        throw Unexpected(description: "line \(number): \(line)\n\(error)")
      }
    }
    return keptByLine
  }

  /// Makes a file whose content is the same each time.
  private static func makeFile(_ file: URL, _ size: Int) throws {
    var state: UInt32 = 1
    let bytes = (0..<size).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    try Data(bytes).write(to: file)
  }

  private static func filled(_ text: String, _ kept: [String: String]) throws -> String {
    var text = text
    for (name, value) in kept { text = text.replacingOccurrences(of: "${\(name)}", with: value) }
    guard !text.contains("${") else { throw Unexpected(description: "unknown name in \(text)") }
    return text
  }

  private static func expectation(_ text: String, _ kept: [String: String]) throws -> (String, [Condition]) {
    let parts = try filled(text, kept).components(separatedBy: " | ")
    let conditions = try parts.dropFirst()
      .map { part -> Condition in
        if let range = part.range(of: " -> ") {
          return .keep(path(part[..<range.lowerBound]), String(part[range.upperBound...]))
        }
        guard let range = part.range(of: " = ") else {
          throw Unexpected(description: "not understood: \(part)")
        }
        return .equal(path(part[..<range.lowerBound]), String(part[range.upperBound...]))
      }
    return (parts[0], conditions)
  }

  private static func path(_ text: Substring) -> [String] { text.split(separator: ".").map(String.init) }

  private static func value(_ path: [String], _ json: JSONValue) -> String? {
    var json: JSONValue? = json
    for name in path {
      json = Int(name).flatMap { json?[$0] } ?? json?[name]
    }
    guard let json, json != .null else { return nil }
    return json.stringValue ?? json.jsonText()
  }

  private static func holds(_ conditions: [Condition], _ json: JSONValue) -> Bool {
    conditions.allSatisfy { condition in
      switch condition {
      case .equal(let path, let expected): value(path, json) ?? "absent" == expected
      case .keep(let path, _): value(path, json) != nil
      }
    }
  }

  /// The differences from what was expected.
  private static func differences(_ conditions: [Condition], _ json: JSONValue) -> [String] {
    conditions.filter { !holds([$0], json) }
      .map { condition in
        switch condition {
        case .equal(let path, _), .keep(let path, _):
          "\(path.joined(separator: ".")) is \(value(path, json) ?? "absent")"
        }
      }
  }

  private static func kept(_ conditions: [Condition], of json: JSONValue) -> [String: String] {
    var kept: [String: String] = [:]
    for case .keep(let path, let name) in conditions { kept[name] = value(path, json) }
    return kept
  }
}
