// What is shown in place of links, so that a text cannot pass for another address than the one it leads to.

extension SimplexLinkType {
  /// What the link is, in words.
  public var description: String {
    switch self {
    case .contact: "SimpleX contact address"
    case .invitation: "SimpleX one-time invitation"
    case .group: "SimpleX group link"
    case .channel: "SimpleX channel link"
    case .relay: "SimpleX relay address"
    }
  }
}

extension FormattedText {
  /// The text as it is shown: links with a text of their own by that text, SimpleX links by what they are and the
  /// server they go through, members' names with a space and `@` in them in apostrophes.
  public var shownText: String {
    switch format {
    case .hyperLink(let shown?, _): shown
    case .simplexLink(let shown, let type, _, let hosts):
      "\(shown.map { $0 + ": " } ?? "")\(type.description) (via \(hosts.first ?? "?"))"
    case .mention(let name): name.containsText(" @") ? "@'\(name)'" : "@\(name)"
    default: text
    }
  }

  /// The address to open when the piece is tapped; domains without a scheme get `https://`.
  public var linkToOpen: String? {
    switch format {
    case .uri: text.hasPrefix("http://") || text.hasPrefix("https://") ? text : "https://" + text
    case .hyperLink(_, let link), .simplexLink(_, _, let link, _): link
    case .email: "mailto:" + text
    case .phone: "tel:" + text.filter { $0 != " " }
    default: nil
    }
  }
}
