import ChatAPI
import QRCodes

extension TerminalSession {
  /// `/qr`, `/long link` and `/open`, which are about links that are on the screen. False for other lines, and where
  /// nobody types.
  func performLinks(_ line: String, isConfirmed: Bool) -> Bool {
    guard input.isInteractive else { return false }
    let words = line.split(separator: " ")
    switch (words.first, words.dropFirst()) {
    case ("/qr", let rest) where rest.count < 2: showCode(of: rest.first.map(String.init), line)
    case ("/long", ["link"]): showLongLink(line)
    case ("/open", let rest) where rest.count < 2: open(rest.first, line, isConfirmed: isConfirmed)
    default: return false
    }
    return true
  }

  private func showCode(of text: String?, _ line: String) {
    echo(line)
    let own = state.withLock { $0.links.own(of: $0.view.user) }
    guard let text = text ?? own.map({ $0.connShortLink ?? view.webLink($0.connFullLink) }) else {
      return input.show([
        "No link was shown. \(.highlight("/c")) creates one, \(.highlight("/sa")) shows your address; \(.highlight("/qr <link>")) is for any other."
      ])
    }
    guard let code = QRCode(text) else { return input.show(["There is no QR code for this text here."]) }
    if let columns = input.columns, columns < code.columns {
      return input.show(["The window is too narrow for the QR code: it takes \(code.columns) columns."])
    }
    input.show(code.rows.map { StyledText($0, .qrCode) } + [StyledText(text)])
  }

  private func showLongLink(_ line: String) {
    echo(line)
    guard let link = state.withLock({ $0.links.own(of: $0.view.user) }) else {
      return input.show(["No link was shown."])
    }
    input.show([StyledText(view.webLink(link.connFullLink))])
  }

  /// Asks whether a web address is to be opened, and shows all of it: its text in a message can be another.
  private func open(_ argument: Substring?, _ line: String, isConfirmed: Bool) {
    let (links, user) = state.withLock { ($0.links, $0.view.user) }
    guard let argument else {
      echo(line)
      let addresses = links.webAddresses(of: user)
      return input.show(
        addresses.isEmpty
          ? ["No message with a web address was shown."]
          : addresses.enumerated().map { "\($0 + 1)  \($1)" }
            + ["\(.highlight("/open <number>")) opens one in the browser, after a question."])
    }
    guard let address = links.webAddress(argument, of: user) else {
      echo(line)
      return input.show(["There is no web address \(argument.prefix(40)): \(.highlight("/open")) lists them."])
    }
    guard isConfirmed else {
      echo(line)
      // The address, since another message can take its number before the answer.
      state.withLock { $0.unconfirmed = "/open \(address)" }
      return input.show([
        "Open \(address) in the browser? Its server sees your IP address. Type \(.highlight("y")) to confirm."
      ])
    }
    input.show([Browser.open(address) ?? "The browser is asked to open it."])
  }

  /// Keeps the links of what is shown.
  func followLinks(_ items: [AChatItem], of user: User) { state.withLock { $0.links.add(items, of: user) } }
}
