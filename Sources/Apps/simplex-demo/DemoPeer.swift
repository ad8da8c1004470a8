import ChatAPI
import Foundation
import SimpleXChat

/// Why the demonstration failed.
struct DemoFailure: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// Somebody with a controller and databases of their own.
struct DemoPeer: Sendable {
  let name: String
  let core: ChatController
  let user: User

  /// Opens new databases, makes the profile and starts the chat.
  static func start(_ name: String, folder: URL, relay: DemoRelay) async throws(DemoFailure) -> DemoPeer {
    var options = ChatOptions(databasePrefix: folder.appending(path: name).path)
    options.smpServers = [relay.address]
    options.addsPresetContacts = false
    let core: ChatController
    do throws(ChatOpeningError) { core = try await ChatController.open(options) } catch {
      throw DemoFailure("the databases of \(name) cannot be opened: \(error.result.text)")
    }
    let profile = Profile(displayName: name, fullName: "")
    let created = await core.send(.createActiveUser(profile: profile, pastTimestamp: false))
    guard case .result(.response0(.activeUser(let user))) = created else {
      throw DemoFailure("the profile of \(name) cannot be made: \(created.responseType)")
    }
    let peer = DemoPeer(name: name, core: core, user: user)
    _ = try await peer.send("/_start main=on snd_files=on")
    return peer
  }

  /// Executes a command that must succeed.
  func send(_ command: String) async throws(DemoFailure) -> ChatResponse {
    switch await core.sendText(command) {
    case .result(let response): return response
    case .error(let error): throw DemoFailure("\(name): \(command): \(error.text)")
    case .invalid(let type, _): throw DemoFailure("\(name): \(command): unreadable response \(type)")
    }
  }

  /// Makes an address whose requests are accepted, and returns its short link.
  func createAddress() async throws(DemoFailure) -> String {
    guard case .response1(.userContactLinkCreated(_, let link)) = try await send("/address") else {
      throw DemoFailure("\(name): no address was made")
    }
    _ = try await send("/auto_accept on")
    guard let short = link.connShortLink else { throw DemoFailure("\(name): the address has no short link") }
    return short
  }

  /// Waits for an event; other events are passed over.
  func event<Value: Sendable>(
    _ what: String, within time: Duration = .seconds(30), _ select: (ChatEvent) -> Value?
  ) async throws(DemoFailure) -> Value {
    let deadline = ContinuousClock.now + time
    while true {
      let left = deadline - .now
      guard left > .zero, let event = await core.eventQueue.next(within: left) else {
        throw DemoFailure("\(name) waited in vain for \(what)")
      }
      if case .result(let event) = event, let value = select(event) { return value }
    }
  }

  /// Stops and closes.
  func stop() async { try? await core.close() }
}
