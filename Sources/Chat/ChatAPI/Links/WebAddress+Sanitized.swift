import WireCodec

extension WebAddress {
  /// The address without the parameters that track people; nil where it has none.
  ///
  /// With `safe` only parameters that are known to track are removed. Otherwise everything goes that is not known to
  /// be needed: all parameters with a listed name stay, and on a page with a name rather than an identifier in its
  /// path the first parameter stays too, unless it looks like tracking. What stays is not re-encoded.
  public func sanitized(safe: Bool) -> String? {
    guard let query = uri.query else { return nil }
    let parameters = query.utf8.split(separator: UInt8(ascii: "&")).map { part in
      (name: Self.name(of: part), text: String(decoding: part, as: UTF8.self))
    }
    let named = parameters.filter { !$0.name.isEmpty }
    let kept = named.enumerated().filter { index, parameter in
      if safe { return !Self.isKnownTracker(parameter.name) }
      if isNeeded(parameter.name) { return true }
      return index == 0 && hasNamePath && !Self.looksLikeTracker(parameter.name)
    }
    guard kept.count < named.count else { return nil }
    var sanitized = uri
    sanitized.query = kept.isEmpty ? nil : kept.map(\.element.text).joined(separator: "&")
    return sanitized.description
  }

  private static func name(of parameter: Substring.UTF8View) -> String {
    let name = parameter.prefix { $0 != UInt8(ascii: "=") }
    return String(decoding: PercentEncoding.decode(name) ?? Array(name), as: UTF8.self)
  }

  /// Whether the path is made of words, such as `/search-results`, with no identifier in it.
  private var hasNamePath: Bool {
    uri.path.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: "/")
    }
  }

  private func isNeeded(_ name: String) -> Bool {
    Self.neededEverywhere.contains(name)
      || Self.neededAtSite.contains { site, names in
        names.contains(name) && (host == site || host.hasSuffix("." + site))
      }
  }

  private static func isKnownTracker(_ name: String) -> Bool {
    trackerPrefixes.contains { name.hasPrefix($0) }
  }

  private static func looksLikeTracker(_ name: String) -> Bool {
    isKnownTracker(name) || name.contains("_") || name.hasSuffix("id") || name.hasPrefix("source")
  }

  private static let neededEverywhere: Set<String> = [
    "q", "search", "search_query", "lang", "list", "page", "text", "type",
  ]

  private static let neededAtSite: [(String, Set<String>)] = [
    ("aliexpress.com", ["SearchText", "catId", "minPrice", "maxPrice"]),
    ("amazon.com", ["i", "rh", "k"]),
    ("baidu.com", ["wd"]),
    ("bing.com", ["mkt"]),
    ("github.com", ["author", "diff", "ref", "w"]),
    ("play.google.com", ["id"]),
    ("reddit.com", ["t"]),
    ("wikipedia.com", ["oldid", "uselang"]),
    ("x.com", ["f"]),
    ("yahoo.com", ["p"]),
    ("youtube.com", ["v", "t"]),
    ("youtu.be", ["t"]),
  ]

  private static let trackerPrefixes = [
    "ad", "af", "camp", "cmp", "dc", "dev", "ef_", "fb", "gad_", "gc", "gdf", "hsa_", "igsh", "li", "matomo_", "mc_",
    "mkwid", "msc", "mtm_", "pcrid", "piwik_", "pk_", "prom", "ref", "s_kw", "si", "src", "srs", "trk_", "tw", "utm",
    "ycl",
  ]
}
