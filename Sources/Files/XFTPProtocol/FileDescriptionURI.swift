import WireCodec

/// The link of a standalone file: `simplex:/file#/?desc=…`, with its description in the fragment. Source: xftp.md,
/// "File description"; the reference's links of files.
public struct FileDescriptionURI: Equatable, Sendable {
  /// The host of `https://host/file#…`; nil for the scheme `simplex:`.
  public var host: String?
  /// The description; for recipients.
  public var description: FileDescription
  /// JSON of the application that made the link.
  public var clientData: String?

  public init(description: FileDescription, clientData: String? = nil, host: String? = nil) {
    self.host = host
    self.description = description
    self.clientData = clientData
  }

  /// The longest link that fits a QR code of common size, in characters; longer ones redirect.
  public static let qrCodeLimit = 1002

  /// The text, up to a space, a line break or the end. Unknown parameters are skipped.
  public static let codec = Codec<FileDescriptionURI>(
    decode: { (reader) throws(WireError) -> FileDescriptionURI in
      let start = reader.offset
      let uri = try URIReference.codec.decode(&reader)
      let isWeb = uri.scheme == "https" && uri.authority?.isEmpty == false
      let isOwn = uri.scheme == "simplex" && uri.authority == nil
      guard isWeb || isOwn, uri.path == "/file" || uri.path == "/file/", uri.query == nil,
        let fragment = uri.fragment, fragment.hasPrefix("/?")
      else { throw WireError(.expected("the link of a file"), offset: start) }
      let query = try QueryString.codec.decode(text: String(fragment.dropFirst(2)))
      let description = try query.required("desc", FileDescription.codec)
      guard description.party == .recipient else {
        throw WireError(.expected("a description for recipients"), offset: start)
      }
      return FileDescriptionURI(
        description: description, clientData: query["data"].map { String(decoding: $0, as: UTF8.self) },
        host: isWeb ? uri.authority : nil)
    },
    encode: { (uri, writer) throws(WireError) in
      if let host = uri.host { writer.append("https://\(host)") } else { writer.append(literal: "simplex:") }
      writer.append(literal: "/file#/?")
      var query = QueryString()
      try query.append("desc", uri.description, FileDescription.codec)
      if let data = uri.clientData { query.append("data", data) }
      try QueryString.codec.encode(query, &writer)
    })
}
