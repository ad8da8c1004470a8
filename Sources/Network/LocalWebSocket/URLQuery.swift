/// The query of a request's address: `name=value` pairs with `&` between them, behind the first `?`, not decoded.
public struct URLQuery: Sendable {
  private let pairs: [(name: Substring, value: Substring)]

  /// The query of the target of an HTTP request, `/?token=…` for example.
  init(of target: String) {
    let query = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
    pairs = query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (parts[0], parts.count == 2 ? parts[1] : "")
    }
  }

  /// The first value of a name; nil where there is none.
  public subscript(name: String) -> String? {
    pairs.first { $0.name == name }.map { String($0.value) }
  }
}
