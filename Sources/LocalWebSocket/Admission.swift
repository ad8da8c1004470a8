import NIOHTTP1

/// Who may connect.
struct Admission {
  let token: String?

  /// With a token, who has it. Without one, programs of this machine, but no page of another site that a browser shows: browsers
  /// name the page's origin, and let any page connect to the loopback address.
  func admits(_ request: HTTPRequestHead) -> Bool {
    guard let token else { return request.headers["origin"].allSatisfy(Self.isLocal) }
    let presented = request.headers["authorization"].first.flatMap(Self.bearer) ?? Self.queryToken(request.uri)
    return presented.map { Self.isSame($0, token) } ?? false
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

  private static func queryToken(_ uri: String) -> String? {
    guard let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
    return query.split(separator: "&").first { $0.hasPrefix("token=") }.map { String($0.dropFirst(6)) }
  }

  /// Takes the same time wherever the texts differ.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension String {
  fileprivate func range(of part: String) -> Range<String.Index>? { firstRange(of: part) }
}
