import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Handles an event of the core. Events of users who are not active change only these users.
  ///
  /// - Returns: What the app has to do.
  public mutating func reduce(_ event: ChatEvent, at now: Date) -> [StateEffect] {
    reduceConnection(event, now) ?? reduceSecurity(event, now) ?? reduceMessage(event, now) ?? reduceGroup(event, now)
      ?? reduceMember(event, now) ?? reduceFile(event, now) ?? reduceCall(event, at: now) ?? reduceRemote(event)
      ?? reduceSystem(event) ?? [.ignored(event)]
  }
}
