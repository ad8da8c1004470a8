import Foundation
import SimplexJSON

/// The environment of a scenario: one relay or several, and profiles that use them.
public protocol ScenarioWorld: AnyObject {
  /// A profile with its own core.
  associatedtype Profile: ScenarioProfile

  /// A folder for files.
  var folder: URL { get }
  /// Creates a profile and starts it.
  func scenarioProfile(_ name: String) async throws -> Profile
  /// Stops a profile's core gracefully.
  func leave(_ name: String) async throws
  /// Stops a profile's core gracefully if it runs, and starts another one on its databases.
  func restart(_ name: String) async throws -> Profile
  /// Starts the relays again, with their stored data.
  func startRelay() async throws
  /// Stops all relays.
  func stopRelay() async throws
  /// Waits until what is on its way has arrived, before somebody or something is removed or stopped. Does nothing by
  /// default: a removal may happen at any time.
  func settle() async throws
  /// Waits until nothing is under way, for a limited time; a line of the scenario asks for it, where ``settle()`` comes
  /// before every removal. Does nothing by default, where it is not known what is under way.
  func rest() async throws
  /// Begins a part of the scenario that needs the same programs from its beginning to its end. Does nothing by default:
  /// nothing ends them.
  func beginSession() async throws
  /// Ends the part of the scenario that needs the same programs.
  func endSession()
  /// Connects two profiles by an invitation.
  func connect(_ one: Profile, _ other: Profile) async throws
  /// Lets time pass, while something is waited for.
  func wait(_ time: Duration) async throws
}

extension ScenarioWorld {
  /// Connects two profiles by an invitation.
  public func connect(_ one: Profile, _ other: Profile) async throws { try await connectByInvitation(one, other) }

  /// Lets one profile make an invitation and the other one join by it, until both are told that they are connected.
  public func connectByInvitation(_ one: Profile, _ other: Profile) async throws {
    let invitation = try await one.answer("/connect")
    guard let link = invitation["connLinkInvitation"]?["connShortLink"]?.stringValue else {
      throw Unexpected(description: "answered \(invitation.jsonText())")
    }
    _ = try await other.answer("/connect \(link)")
    _ = try await one.events.first("contactConnected")
    _ = try await other.events.first("contactConnected")
  }

  /// Does nothing.
  public func beginSession() async throws {}

  /// Does nothing.
  public func endSession() {}

  /// Lets time pass.
  public func wait(_ time: Duration) async throws { try await Task.sleep(for: time) }

  /// Does nothing.
  public func settle() async throws {}

  /// Does nothing.
  public func rest() async throws {}
}

/// A profile of a scenario.
public protocol ScenarioProfile: AnyObject {
  /// Executes a command; returns the response or the error.
  func answer(_ command: String) async throws -> JSONValue
  /// The events that were not read yet.
  var events: UnreadEvents { get }
  /// Whether the scenario goes on although this profile did not show something, because a crash took it. What should
  /// have been kept of it is taken from an earlier run.
  func toleratesMissing(_ part: ScenarioPart) -> Bool
}

extension ScenarioProfile {
  /// Nothing may be missing.
  public func toleratesMissing(_ part: ScenarioPart) -> Bool { false }
}

/// What a scenario expects of a profile.
public enum ScenarioPart: Sendable {
  /// The answer to the last command.
  case answer
  /// An event.
  case event
}

/// A failed expectation of a test.
public struct Unexpected: Error, CustomStringConvertible {
  /// The difference.
  public var description: String

  /// The difference.
  public init(description: String) { self.description = description }
}

/// The events of a profile. Unread ones are kept for later.
public final class UnreadEvents {
  private let name: String
  private let next: (Duration) async throws -> JSONValue?
  private var events: [JSONValue] = []

  /// The events of the profile of this name.
  /// - Parameter next: the next event; nil if there was none within this time.
  public init(_ name: String, next: @escaping (Duration) async throws -> JSONValue?) {
    self.name = name
    self.next = next
  }

  /// The first event of a tag that satisfies a condition.
  public func first(
    _ tag: String, within time: Duration = .seconds(20), where condition: (JSONValue) -> Bool = { _ in true }
  ) async throws -> JSONValue {
    let end = ContinuousClock.now + time
    var index = 0
    while true {
      while index < events.count {
        if events[index]["type"]?.stringValue == tag && condition(events[index]) { return events.remove(at: index) }
        index += 1
      }
      guard let event = try await next(end - .now) else {
        let seen = events.map { $0["type"]?.stringValue ?? "?" }
        throw Unexpected(
          description: "\(name) got no \(tag); there are \(seen) \(events.suffix(3).map { $0.jsonText() })")
      }
      events.append(event)
    }
  }
}
