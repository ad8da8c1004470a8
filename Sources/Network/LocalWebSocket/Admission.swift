import NIOHTTP1

/// Decides which clients may connect.
struct Admission {
  let token: String?
  /// Whether programs of the user who runs the server need no token.
  var admitsOwner = false

  /// Whether the decision depends on whose program the client is.
  func dependsOnOwner(_ request: HTTPRequestHead) -> Bool {
    admitsOwner && token != nil && Self.presentedToken(request) == nil
  }

  /// Why a client is refused, as a sentence for its author; nil for one that may connect.
  ///
  /// With a token, clients that present it may. Without one, programs of this machine may, but no page of another site
  /// in a browser: browsers send the page's origin, and let any page connect to the loopback address.
  ///
  /// - Parameter isOwner: Whether the client is a program of the user who runs the server.
  func refusal(of request: HTTPRequestHead, isOwner: Bool = false) -> String? {
    guard let token, !(dependsOnOwner(request) && isOwner) else {
      return request.headers["origin"].allSatisfy(Self.isLocal)
        ? nil : "Pages of other sites may not connect without a token: start the server with one, and add ?token=TOKEN."
    }
    guard let presented = Self.presentedToken(request) else {
      return "The token is missing: send the header Authorization: Bearer TOKEN, or add ?token=TOKEN to the URL."
        + (admitsOwner ? " Only programs of the user who runs the server need none." : "")
    }
    return Self.isSame(presented, token) ? nil : "The token is wrong."
  }

  private static func presentedToken(_ request: HTTPRequestHead) -> String? {
    request.headers["authorization"].first.flatMap(bearer) ?? URLQuery(of: request.uri)["token"]
  }

  private static func isLocal(_ origin: String) -> Bool {
    guard let separator = origin.range(of: "://") else { return false }
    let rest = origin[separator.upperBound...]
    let host = rest.hasPrefix("[") ? rest.prefix { $0 != "]" } + "]" : rest.prefix { $0 != ":" }
    return ["localhost", "127.0.0.1", "[::1]"].contains(String(host))
  }

  private static func bearer(_ header: String) -> String? {
    header.lowercased().hasPrefix("bearer ") ? String(header.dropFirst(7)) : nil
  }

  /// Compares in constant time.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension String {
  fileprivate func range(of part: String) -> Range<String.Index>? { firstRange(of: part) }
}
