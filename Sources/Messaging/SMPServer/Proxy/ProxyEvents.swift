import SMPServerCore

/// The five counts of a kind of request to a proxy.
struct ProxyEvents {
  let requests: ServerEvent
  let successes: ServerEvent
  let connectErrors: ServerEvent
  let compatibilityErrors: ServerEvent
  let otherErrors: ServerEvent

  /// In the order of the daily statistics.
  var all: [ServerEvent] { [requests, successes, connectErrors, compatibilityErrors, otherErrors] }

  /// PRXY for any relay.
  static let relays = ProxyEvents(
    requests: .proxyRelayRequests, successes: .proxyRelaySuccesses, connectErrors: .proxyRelayConnectErrors,
    compatibilityErrors: .proxyRelayCompatErrors, otherErrors: .proxyRelayOtherErrors)

  /// PRXY for the operator's own relays.
  static let ownRelays = ProxyEvents(
    requests: .proxyOwnRelayRequests, successes: .proxyOwnRelaySuccesses, connectErrors: .proxyOwnRelayConnectErrors,
    compatibilityErrors: .proxyOwnRelayCompatErrors, otherErrors: .proxyOwnRelayOtherErrors)

  /// PFWD to any relay.
  static let forwards = ProxyEvents(
    requests: .proxyForwardRequests, successes: .proxyForwardSuccesses, connectErrors: .proxyForwardConnectErrors,
    compatibilityErrors: .proxyForwardCompatErrors, otherErrors: .proxyForwardOtherErrors)

  /// PFWD to the operator's own relays.
  static let ownForwards = ProxyEvents(
    requests: .proxyOwnForwardRequests, successes: .proxyOwnForwardSuccesses,
    connectErrors: .proxyOwnForwardConnectErrors, compatibilityErrors: .proxyOwnForwardCompatErrors,
    otherErrors: .proxyOwnForwardOtherErrors)
}
