import Foundation
import SimplexJSON

/// A scenario while it is played: the profiles, their last answers, and what was kept.
final class ScenarioRun<World: ScenarioWorld> {
  private let world: World
  /// What an earlier run kept, for what a profile may lack.
  private let known: Scenario.Kept
  private var profiles: [String: World.Profile] = [:]
  private var commands: [String: String] = [:]
  private var answers: [String: JSONValue] = [:]
  private var kept: [String: String]
  private(set) var keptByLine: Scenario.Kept = [:]

  /// How long is waited for anything.
  private static var limit: Duration { .seconds(20) }

  init(in world: World, known: Scenario.Kept) {
    self.world = world
    self.known = known
    kept = ["folder": world.folder.path]
  }

  /// Performs a line, or verifies what it expects.
  func perform(_ line: String, number: Int) async throws {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    let (first, second, third) = (words[0], words.count > 1 ? words[1] : "", words.count > 2 ? words[2] : "")
    switch (first, second) {
    case (_, "##>"): try await give(third, to: first)
    case (_, "<##"): keptByLine[number] = try checkAnswer(of: first, third, known[number])
    case (_, "<?"): keptByLine[number] = try await repeatCommand(of: first, until: third, known[number])
    case (_, "<#"): keptByLine[number] = try await waitForEvent(of: first, third, known[number])
    case ("file", _), ("equal", _), ("gone", _): try await handleFile(first, second, argument: third)
    case ("profiles", _):
      for name in line.split(separator: " ").dropFirst() {
        profiles[String(name)] = try await world.scenarioProfile(String(name))
      }
    case ("contacts", _):
      guard let one = profiles[second], let other = profiles[third] else {
        throw Unexpected(description: "contacts of whom?")
      }
      try await world.connect(one, other)
    case ("leave", _):
      try await world.settle()
      try await world.leave(second)
    case ("restart", _): profiles[second] = try await world.restart(second)
    case ("rest", _): try await world.rest()
    case ("session", "begin"): try await world.beginSession()
    case ("session", "end"): world.endSession()
    case ("relay", "stop"):
      try await world.settle()
      try await world.stopRelay()
    case ("relay", "start"): try await world.startRelay()
    default: throw Unexpected(description: "not understood")
    }
    kept.merge(keptByLine[number] ?? [:]) { $1 }
  }

  // MARK: Commands and events

  private func profile(_ name: String) throws -> World.Profile {
    guard let profile = profiles[name] else { throw Unexpected(description: "no profile \(name)") }
    return profile
  }

  private func give(_ text: String, to name: String) async throws {
    let profile = try profile(name)
    let command = try filled(text)
    commands[name] = command
    if Scenario.ending.contains(where: command.hasPrefix) { try await world.settle() }
    answers[name] = try await profile.answer(command)
  }

  private func checkAnswer(of name: String, _ text: String, _ known: [String: String]?) throws -> [String: String]? {
    guard let answer = answers[name] else { throw Unexpected(description: "no answer") }
    let expected = try ScenarioExpectation(filled(text))
    if expected.isMet(by: answer) { return expected.kept(of: answer) }
    guard profiles[name]?.toleratesMissing(.answer) == true else {
      throw Unexpected(description: "\(expected.differences(from: answer)); answered \(answer.jsonText())")
    }
    return known
  }

  private func repeatCommand(
    of name: String, until text: String, _ known: [String: String]?
  ) async throws -> [String: String] {
    guard let profile = profiles[name], let command = commands[name] else {
      throw Unexpected(description: "no command")
    }
    let expected = try ScenarioExpectation(filled(text))
    let end = ContinuousClock.now + Self.limit
    // A command that was answered as expected is not repeated.
    var answer = answers[name] ?? .null
    while !expected.isMet(by: answer) {
      guard .now < end else {
        if profile.toleratesMissing(.answer) { break }
        throw Unexpected(description: "\(expected.differences(from: answer)); still answered \(answer.jsonText())")
      }
      try await world.wait(.milliseconds(20))
      answer = try await profile.answer(command)
    }
    answers[name] = answer
    return expected.kept(of: answer).merging(known ?? [:]) { value, _ in value }
  }

  private func waitForEvent(
    of name: String, _ text: String, _ known: [String: String]?
  ) async throws -> [String: String]? {
    let profile = try profile(name)
    let expected = try ScenarioExpectation(filled(text))
    do {
      return expected.kept(of: try await profile.events.first(expected.tag) { expected.hasMembers($0) })
    } catch {
      guard profile.toleratesMissing(.event) else { throw error }
      return known
    }
  }

  /// A text with what was kept in the places of its names.
  private func filled(_ text: String) throws -> String {
    var text = text
    for (name, value) in kept { text = text.replacingOccurrences(of: "${\(name)}", with: value) }
    guard !text.contains("${") else { throw Unexpected(description: "unknown name in \(text)") }
    return text
  }

  // MARK: Files

  /// `file name size`, `equal name other` and `gone name`.
  private func handleFile(_ word: String, _ name: String, argument: String) async throws {
    let file = world.folder.appendingPathComponent(name)
    switch word {
    case "file":
      guard let size = Int(argument) else { throw Unexpected(description: "of which size?") }
      try Self.makeFile(file, size)
    case "equal":
      guard try Data(contentsOf: file) == Data(contentsOf: world.folder.appendingPathComponent(argument)) else {
        throw Unexpected(description: "the files differ")
      }
    default:
      let end = ContinuousClock.now + Self.limit
      while FileManager.default.fileExists(atPath: file.path) {
        guard .now < end else { throw Unexpected(description: "\(file.path) is still there") }
        try await world.wait(.milliseconds(20))
      }
    }
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
}
