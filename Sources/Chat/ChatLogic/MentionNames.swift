import ChatAPI

/// The names of mentioned members: a message that goes out again has the names that its readers know.
public enum MentionNames {
  /// The most members that a message mentions which the user writes.
  public static let sentLimit = 3

  /// A content and its mentions with the names that the members have now.
  ///
  /// Two members of one name are distinguished by `_1`, `_2`, …. Members who are not known keep the name in the text.
  public static func updated(
    _ content: MsgContent, _ mentions: [String: CIMention]
  ) -> (content: MsgContent, mentions: [String: CIMention]) {
    guard !mentions.allSatisfy({ isCurrent($0, $1) }), let pieces = Markdown.parse(content.text) else {
      return (content, mentions)
    }
    var (text, rest) = ("", Substring(content.text))
    var updated: [String: CIMention] = [:]
    for piece in pieces {
      guard case .mention(let name) = piece.format, let mention = mentions[name],
        let range = rest.firstRange(ofText: piece.text)
      else { continue }
      let shown = unused(mention.memberRef?.displayName ?? name, in: updated)
      updated[shown] = mention
      text += rest[..<range.lowerBound] + "@" + DisplayName.quoted(shown)
      rest = rest[range.upperBound...]
    }
    return (content.with(text: text + rest), updated)
  }

  /// Whether a member is still mentioned by its name, or by its name and a number.
  private static func isCurrent(_ name: String, _ mention: CIMention) -> Bool {
    guard let current = mention.memberRef?.displayName else { return true }
    guard name.hasPrefix(current) else { return false }
    let suffix = name.dropFirst(current.count)
    return suffix.isEmpty || suffix.first == "_" && suffix.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
  }

  private static func unused(_ name: String, in mentions: [String: CIMention]) -> String {
    var (shown, number) = (name, 0)
    while mentions[shown] != nil {
      number += 1
      shown = "\(name)_\(number)"
    }
    return shown
  }
}

extension MsgContent {
  /// The content with another text.
  public func with(text: String) -> MsgContent {
    switch self {
    case .text: .text(text)
    case .link(_, let preview): .link(text: text, preview: preview)
    case .image(_, let image): .image(text: text, image: image)
    case .video(_, let image, let duration): .video(text: text, image: image, duration: duration)
    case .voice(_, let duration): .voice(text: text, duration: duration)
    case .file: .file(text)
    case .report(_, let reason): .report(text: text, reason: reason)
    case .chat(_, let link, let signature): .chat(text: text, chatLink: link, ownerSig: signature)
    case .unknown: self
    }
  }
}
