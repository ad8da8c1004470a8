import Foundation
import SimplexJSON

/// A relay, and profiles that use it.
public protocol ScenarioWorld: AnyObject {
  /// A profile with a core of its own.
  associatedtype Profile: ScenarioProfile

  /// Where files can be.
  var folder: URL { get }
  /// Makes a profile and starts it.
  func scenarioProfile(_ name: String) async throws -> Profile
  /// Ends a profile's core in order.
  func leave(_ name: String) async
  /// Ends a profile's core in order, where it was not, and starts another one on its databases.
  func restart(_ name: String) async throws -> Profile
  /// Starts the relay again, with what it has stored.
  func startRelay() async throws
  /// Stops the relay.
  func stopRelay() async throws
}

/// A profile of a scenario.
public protocol ScenarioProfile: AnyObject {
  /// What a command gives, error or not: the response or the error itself.
  func answer(_ command: String) async throws -> JSONValue
  /// What it was told and nobody asked for yet.
  var events: UnreadEvents { get }
}

/// Something that is not as a test expects.
public struct Unexpected: Error, CustomStringConvertible {
  /// What it is.
  public var description: String

  /// Says what it is.
  public init(description: String) { self.description = description }
}

/// Events of a profile. Those that were not asked for stay for later.
public final class UnreadEvents {
  private let name: String
  private let next: (Duration) async throws -> JSONValue?
  private var events: [JSONValue] = []

  /// Events of a profile of this name.
  /// - Parameter next: the next event; nil if none came in this time.
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
