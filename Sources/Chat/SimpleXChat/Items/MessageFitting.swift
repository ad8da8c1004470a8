import ChatAPI
import ChatLogic
import ChatProtocol

// A text that fits into a message alone is sent with as much of what comes with it as there is room for.

extension MsgContainer {
  /// Whether anything comes with the content that may be shortened or left out.
  var hasAdditions: Bool { quote != nil || file != nil || forward != nil || !mentions.isEmpty }

  /// The message with what comes with its content shortened until it fits: first the quote, then the name of the file.
  /// Where that is not enough, the quote and the mark of a forwarded message are left out, then the mentions, whose
  /// names stay in the text.
  /// - Parameter fits: whether a message is short enough to be sent.
  /// - Returns: nil where the content does not fit even so, with its file if it has one.
  func fitted(_ fits: (MsgContainer) -> Bool) -> MsgContainer? {
    if fits(self) { return self }
    var message = self
    if let text = quote?.content.text {
      message.quote?.content = .text(text)
      if fits(message) { return message }
      if let found = message.shortened(text, fits, by: { $0.quote?.content = .text($1) }) { return found }
      message.quote?.content = .text("…")
    }
    if let name = file?.fileName {
      let (stem, suffix) = FileRules.stemAndExtension(of: name)
      if let found = message.shortened(stem, fits, by: { $0.file?.fileName = $1 + suffix }) { return found }
    }
    if quote != nil || forward != nil {
      message = self
      (message.quote, message.forward) = (nil, nil)
      return message.fitted(fits)
    }
    guard !mentions.isEmpty else { return nil }
    message = self
    message.mentions = [:]
    return message.fitted(fits)
  }

  /// The message with the longest beginning of a text, followed by `…`, with which it fits; nil for none.
  private func shortened(
    _ text: String, _ fits: (MsgContainer) -> Bool, by replace: (inout MsgContainer, String) -> Void
  ) -> MsgContainer? {
    let characters = Array(text)
    var longest: MsgContainer?
    var (low, high) = (0, characters.count)
    while low < high {
      let middle = low + (high - low) / 2
      var message = self
      replace(&message, String(characters[..<middle]) + "…")
      if fits(message) {
        longest = message
        low = middle + 1
      } else {
        high = middle
      }
    }
    return longest
  }
}
