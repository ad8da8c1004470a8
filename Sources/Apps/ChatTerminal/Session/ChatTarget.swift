import ChatAPI

/// The chat that a typed line names: the prefix of messages to it, such as `@bob `, `#'Our team' ` or
/// `#team (support: bob) `.
struct ChatTarget: Hashable, Sendable {
  /// The sign and the name as they are typed, with a space after them.
  let prefix: String
  /// Whether the line has nothing behind the name: the person only chooses the chat.
  let isAlone: Bool

  /// The name without sign and apostrophes.
  let name: String

  /// Whether the line chooses the chat for the lines after it: it is the name, alone or with a message. Commands and
  /// lines with a mark leave the choice as it is.
  let choosesChat: Bool

  /// Whether it is a support chat in the group, not the group.
  let isSupport: Bool

  /// Whether it is a contact, not a group.
  var isContact: Bool { prefix.first == "@" }

  /// Reads a line; nil where it names no chat that a message can go to.
  init?(of line: String) {
    let line = Substring(line.trimmed)
    let rest: Substring
    if let command = Self.commands.first(where: { line.hasPrefix($0) }) {
      rest = line.dropFirst(command.count)
    } else if line.first == "+" || line.first == "-" {
      // A reaction: the sign, the emoji, a space.
      guard let space = line.firstIndex(of: " ") else { return nil }
      rest = line[space...]
    } else {
      rest = line.drop { ">!\\".contains($0) }
    }
    let named = rest.drop { $0 == " " }
    // White space between the sign of a line and the name is for marks and commands only.
    guard let sign = named.first, sign == "@" || sign == "#", rest.startIndex > line.startIndex || named == line else {
      return nil
    }
    guard let name = Self.name(named.dropFirst()) else { return nil }
    let scope = sign == "#" ? Self.scope(name.rest) : nil
    self.name = name.text
    isSupport = scope != nil
    prefix = "\(sign)\(DisplayName.quoted(name.text)) \(scope.map { "\($0.text) " } ?? "")"
    choosesChat = named.startIndex == line.startIndex
    isAlone = choosesChat && (scope?.rest ?? name.rest).allSatisfy(\.isWhitespace)
  }

  /// The part of a group that messages go to, such as `(support: bob)`. Without it they would go to all members.
  private static func scope(_ text: Substring) -> (text: String, rest: Substring)? {
    let scope = text.drop { $0 == " " }
    guard scope.hasPrefix("(support"), let end = scope.firstIndex(of: ")") else { return nil }
    return (String(scope[...end]), scope[scope.index(after: end)...])
  }

  /// Commands that are followed by a chat.
  private static let commands = [
    "/live ", "/tail ", "/t ", "/search ", "/? ", "/file ", "/f ", "/image ", "/img ", "/fforward ", "/ff ",
    "/image_forward ", "/imgf ",
  ]

  /// A name at the beginning of a text, in apostrophes or up to a space, and what is behind it.
  static func name(_ text: Substring) -> (text: String, rest: Substring)? {
    if text.first == "'" {
      let inside = text.dropFirst()
      guard let end = inside.firstIndex(of: "'"), end > inside.startIndex else { return nil }
      return (String(inside[..<end]), inside[inside.index(after: end)...])
    }
    let name = text.prefix { !$0.isWhitespace && $0 != "," }
    guard let first = name.first, !"@#".contains(first) else { return nil }
    return (String(name), text.dropFirst(name.count))
  }
}
