import WireCodec

// Arguments that people paste: links and addresses of servers.

/// The most words that a link is read from: each is tried with those before it, and a text may have any number.
private let longestLink = 256

extension CommandCategory {
  /// A link, or a name in its place; see ``PastedLink``. Words after it belong to it where it is one only with them, as
  /// after a line break.
  static func link(_ name: String) -> Argument<String> {
    let word = word(name)
    return Argument(
      word.usage,
      read: { (reader) throws(WireError) -> String in
        let text = try word.read(&reader)
        guard PastedLink.isLink(text), !isLink(text) else { return PastedLink.cleaned(text) }
        var (ahead, joined) = (reader, text)
        var count = 1
        while count < longestLink, let next = nextWord(&ahead), !PastedLink.isLink(next) {
          joined += next
          count += 1
          guard isLink(joined) else { continue }
          reader = ahead
          return PastedLink.cleaned(joined)
        }
        return PastedLink.cleaned(text)
      },
      write: word.write)
  }

  /// A full link and perhaps a short link; further spaces are ignored.
  static var createdLink: Argument<CreatedConnLink> {
    let full = link("full link")
    return Argument(
      "<full link>[ <short link>]",
      read: { (reader) throws(WireError) -> CreatedConnLink in
        let full = try full.read(&reader)
        var ahead = reader
        let short = nextWord(&ahead).map(PastedLink.cleaned)
        guard let short, SimplexLink(short)?.isShort == true else { return CreatedConnLink(connFullLink: full) }
        reader = ahead
        return CreatedConnLink(connFullLink: full, connShortLink: short)
      },
      write: { link, writer in
        writer.append(link.connFullLink)
        if let short = link.connShortLink { writer.append(" \(short)") }
      })
  }

  /// The address of a server of a protocol; see ``PastedLink``.
  static func serverAddress(of serverProtocol: ServerProtocol) -> Argument<String> {
    word("\(serverProtocol.rawValue) server").compactMap(
      { PastedLink.server($0).flatMap { isServer($0, of: serverProtocol) ? $0 : nil } }, { $0 }
    ).secret(where: hasPassword)
  }

  /// Addresses of servers separated by spaces, or `default` for none; semicolons, commas and line breaks between them
  /// are read as well.
  static func servers(of serverProtocol: ServerProtocol) -> Argument<[String]> {
    let server = "<\(serverProtocol.rawValue) server>"
    let list = text("servers")
    return Argument(
      "\(server)[ \(server)]…|default",
      read: { (reader) throws(WireError) -> [String] in
        if reader.take("default") { return [] }
        let start = reader
        let text = try list.read(&reader)
        let pasted = PastedLink.addresses(in: text)
        if areAddresses(text), pasted.allSatisfy({ isServer($0, of: serverProtocol) }) { return pasted }
        let foreign = pasted.lazy.compactMap(PastedLink.foreignCharacter).first
        let expected = server + (foreign.map { " without \($0)" } ?? "")
        // The first that is none.
        reader = start
        while true {
          let offset = reader.offset
          let addresses = try word("servers").read(&reader).split(separator: ";").map(String.init)
          guard !addresses.isEmpty, addresses.allSatisfy({ isServer($0, of: serverProtocol) }), reader.take(" ") else {
            throw WireError(.expected(expected), offset: offset)
          }
        }
      },
      write: { servers, writer in
        writer.append(servers.isEmpty ? "default" : servers.joined(separator: " "))
      }, holdsSecret: { $0.contains(where: hasPassword) })
  }

  /// Whether each word of a text begins as an address does, or continues one after a line break.
  private static func areAddresses(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    return zip(["\n"] + words, words).allSatisfy { last, word in
      PastedLink.isLink(String(word)) || last != "\n" && last.unicodeScalars.last == "\n"
    } && !words.isEmpty
  }

  private static func isServer(_ text: String, of serverProtocol: ServerProtocol) -> Bool {
    (try? ServerAddress(parsing: text))?.serverProtocol == serverProtocol
  }

  /// Whether a text is a link, and no beginning of one that has the form of a link already: keys of short links have 32
  /// bytes.
  private static func isLink(_ text: String) -> Bool {
    guard let link = SimplexLink(PastedLink.cleaned(text)) else { return false }
    guard link.isShort, let hash = link.uri.firstIndex(of: "#") else { return true }
    let keys = link.uri[hash...].dropFirst().prefix { $0 != "?" }
    return keys.split(separator: "/").last?.utf8.count == 43
  }

  /// The word after spaces; nil at the end.
  private static func nextWord(_ reader: inout Reader) -> String? {
    _ = reader.span { $0 == UInt8(ascii: " ") }
    let word = String(validating: reader.span { $0 != UInt8(ascii: " ") })
    return word?.isEmpty == false ? word : nil
  }
}
