import ChatAPI

/// The links that a session has shown: the web addresses of messages, and the link that leads to the person.
struct ShownLinks {
  /// How many web addresses are kept.
  static let limit = 9

  /// The web addresses, the latest first.
  private(set) var webAddresses: [String] = []
  /// The invitation, address or group link that was shown last, and the user to whom it leads; nil for none.
  private var own: (user: Int64, link: CreatedConnLink)?

  /// The link that was shown last, if it leads to this user.
  func own(of user: User?) -> CreatedConnLink? { own.flatMap { $0.user == user?.userId ? $0.link : nil } }

  /// Adds the web addresses of a message. One that was there is the latest again.
  mutating func add(_ item: ChatItem) {
    for address in (item.formattedText ?? []).compactMap(\.webAddress) {
      webAddresses.removeAll { $0 == address }
      webAddresses.insert(address, at: 0)
    }
    if webAddresses.count > Self.limit { webAddresses.removeLast(webAddresses.count - Self.limit) }
  }

  /// Follows responses that show a link.
  mutating func follow(_ response: ChatResponse) {
    switch response {
    case .response1(.invitation(let user, let link, _)), .response1(.userContactLinkCreated(let user, let link)):
      own = (user.userId, link)
    case .response1(.userContactLink(let user, let link)): own = (user.userId, link.connLinkContact)
    case .response1(.connectionUserChanged(_, _, let connection, let user)):
      if let link = connection.connLinkInv { own = (user.userId, link) }
    case .response2(.groupLinkCreated(let user, _, let link)), .response2(.groupLink(let user, _, let link)):
      own = (user.userId, link.connLinkContact)
    default: break
    }
  }

  /// What `/open` is to open: a number of the list, or a web address; nil for others.
  func webAddress(_ argument: Substring) -> String? {
    if let number = Int(argument) {
      return webAddresses.indices.contains(number - 1) ? webAddresses[number - 1] : nil
    }
    return Self.isWebAddress(argument) ? String(argument) : nil
  }

  fileprivate static func isWebAddress(_ text: some StringProtocol) -> Bool {
    let begins = ["https://", "http://"].contains { text.lowercased().hasPrefix($0) && text.count > $0.count }
    return begins && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
  }
}

extension FormattedText {
  /// The web address that the text is, or that stands behind it; nil for other texts.
  var webAddress: String? {
    let address: String
    switch format {
    case .uri: address = text.contains("://") ? text : "https://\(text)"
    case .hyperLink(_, let link): address = link
    default: return nil
    }
    return ShownLinks.isWebAddress(address) ? address : nil
  }
}
