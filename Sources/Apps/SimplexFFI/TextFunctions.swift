import ChatAPI
import SimplexJSON

// Functions on texts, which need no controller. A null pointer is an empty text, whose reading always has a result.

/// The pieces of a message text: `{"formattedText":[…]}`, or `{}` where nothing is formatted.
@_cdecl("chat_parse_markdown")
public func chatParseMarkdown(_ markdown: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
  owned(json: ParsedMarkdown(formattedText: Markdown.parse(text(markdown) ?? "")))
}

/// The parts of a server's address, or why it is none.
@_cdecl("chat_parse_server")
public func chatParseServer(_ address: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
  do {
    let address = try ServerAddress(parsing: text(address).map { PastedLink.server($0) ?? $0 } ?? "")
    return owned(json: ParsedServerAddress(serverAddress: address, parseError: ""))
  } catch {
    return owned(json: ParsedServerAddress(parseError: error.description))
  }
}

/// The scheme of a web address, and the address without parameters that track people where it has some.
@_cdecl("chat_parse_uri")
public func chatParseURI(_ uri: UnsafePointer<CChar>?, _ safe: CInt) -> UnsafeMutablePointer<CChar>? {
  do {
    let address = try WebAddress(parsing: text(uri) ?? "")
    let info = UriInfo(scheme: address.uri.scheme ?? "", sanitized: address.sanitized(safe: safe != 0))
    return owned(json: ParsedUri(uriInfo: info, parseError: ""))
  } catch {
    return owned(json: ParsedUri(parseError: error.description))
  }
}

/// The hash that hidden profiles are opened by; empty where the salt is not base64url.
@_cdecl("chat_password_hash")
public func chatPasswordHash(
  _ password: UnsafePointer<CChar>?, _ salt: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  guard let password = text(password), let salt = text(salt) else { return owned("") }
  return owned(ProfilePassword.hash(password, salt: salt) ?? "")
}

/// The name nearest to the text that a person or group may have.
@_cdecl("chat_valid_name")
public func chatValidName(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
  owned(DisplayName.valid(text(name) ?? ""))
}

/// Bytes of the text in JSON, without the quotes.
@_cdecl("chat_json_length")
public func chatJSONLength(_ string: UnsafePointer<CChar>?) -> CInt {
  CInt(clamping: JSONText.length(text(string) ?? ""))
}

/// Keys of issuers of badges are not made here.
@_cdecl("chat_badge_keygen")
public func chatBadgeKeygen() -> UnsafeMutablePointer<CChar>? {
  owned(json: BadgesUnsupported())
}

/// Badges are not issued here.
@_cdecl("chat_badge_issue")
public func chatBadgeIssue(_: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
  owned(json: BadgesUnsupported())
}

private struct BadgesUnsupported: JSONEncodable {
  func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("error", "badges are not supported")
    json.endObject()
  }
}
