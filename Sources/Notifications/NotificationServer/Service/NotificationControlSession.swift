import NIOCore
import NotificationServerCore
import NotificationStore
import RelayChassis

/// The commands of the control port. Used on one event loop.
final class NotificationControlSession: ControlCommands {
  private let settings: NotificationServerSettings
  private let hub: ServerHub
  private let access: ControlAccess
  private var role = ControlRole.none

  init(_ settings: NotificationServerSettings, _ hub: ServerHub, access: ControlAccess) {
    self.settings = settings
    self.hub = hub
    self.access = access
  }

  private static let help = """
    commands:
      auth PASSWORD   identify as user or admin
      stats           counts since the start, or since midnight with log_stats = on
      server-info     what is stored, relays, and pushes that wait
      trust-clock     delete what is too old by the clock, also where it is days ahead of the last run (admin)
      help            show this list
      quit            close the connection
    """

  func answer(_ line: String, on eventLoop: any EventLoop) -> ControlAnswer {
    let words = line.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case (nil, _): return .now("")
    case ("quit", _): return .now(nil)
    case ("help", _): return .now(Self.help)
    case ("auth", 2):
      return .now(
        access.authenticate(
          &role, password: words[1], admin: settings.adminPassword, user: settings.userPassword))
    case ("stats", 1): return .now(role < .user ? Self.needsUser : stats)
    case ("server-info", 1):
      guard role >= .user else { return .now(Self.needsUser) }
      let hub = hub
      return .later(eventLoop.makeFutureWithTask { await Self.information(hub) })
    case ("trust-clock", 1):
      guard role == .admin else { return .now("AUTH: this command needs the admin password; auth PASSWORD first") }
      return .now(
        hub.expiryClock.trust() ? "ok, what is too old is deleted from now on" : "ok, the clock was not doubted")
    default: return .now("error: bad command; help lists the commands")
    }
  }

  private static let needsUser = "AUTH: this command needs the user or the admin password; auth PASSWORD first"

  private var stats: String {
    NotificationEvent.allCases.map { "\($0): \(hub.counts.value($0))" }.joined(separator: "\n")
  }

  private static func information(_ hub: ServerHub) async -> String? {
    let relays = await hub.subscriber.relayCounts
    let pushes = await hub.pusher.load
    let usage = try? await hub.store.perform { (records) throws(NotificationStoreError) in try records.usage() }
    guard let usage else { return "error: the store cannot be read" }
    return """
      tokens: \(usage.tokens), active: \(usage.activeTokens)
      subscriptions: \(usage.subscriptions), wanted at relays: \(usage.subscribed)
      relays: \(relays.known), connected: \(relays.connected)
      pushes waiting: \(pushes.waiting), in flight: \(pushes.inFlight)
      """
  }
}
