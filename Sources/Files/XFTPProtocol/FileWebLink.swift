import CZlib
import WireCodec

/// The link of a file for browsers: `https://relay/#…`, with the description compressed in the fragment. Source: the
/// reference's web client of files.
public enum FileWebLink {
  /// The longest description that is read, in bytes; compressed texts can be much shorter.
  public static let sizeLimit = 16 << 20

  /// The fragment: base64url of the compressed text (raw DEFLATE).
  /// - Throws: where the description cannot be written.
  public static func fragment(of description: FileDescription) throws(WireError) -> String {
    guard let compressed = process(Array(try description.text.utf8), limit: .max, deflating: true) else {
      throw WireError(.expected("memory for compression"))
    }
    return Base64URL.string(compressed)
  }

  /// The link, at the first host of the relay that has the first chunk; nil for a file without chunks.
  public static func link(of description: FileDescription) throws(WireError) -> String? {
    guard let host = description.chunks.first?.replicas.first?.server.hosts.first else { return nil }
    return "https://\(host.bracketed)/#\(try fragment(of: description))"
  }

  /// The description in a fragment; for recipients.
  public static func description(fragment: String) throws(WireError) -> FileDescription {
    guard let compressed = Base64URL.decode(fragment),
      let text = process(compressed, limit: sizeLimit, deflating: false)
    else { throw WireError(.expected("a compressed description")) }
    return try FileDescription(text: String(decoding: text, as: UTF8.self), party: .recipient)
  }

  /// The description in a link.
  public static func description(link: String) throws(WireError) -> FileDescription {
    guard let fragment = URIReference(splitting: link).fragment else { throw WireError(.expected("a fragment")) }
    return try description(fragment: fragment)
  }

  /// Compresses or decompresses; nil for malformed input, or where more than `limit` bytes follow from it.
  private static func process(_ input: [UInt8], limit: Int, deflating: Bool) -> [UInt8]? {
    var stream = z_stream()
    guard (deflating ? simplex_deflate_init(&stream) : simplex_inflate_init(&stream)) == Z_OK else { return nil }
    defer { _ = deflating ? deflateEnd(&stream) : inflateEnd(&stream) }
    var input = input
    var output: [UInt8] = []
    return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      while true {
        var result = Z_OK
        let part = [UInt8](unsafeUninitializedCapacity: 32768) { space, count in
          stream.next_out = space.baseAddress
          stream.avail_out = UInt32(space.count)
          result = deflating ? deflate(&stream, Z_FINISH) : inflate(&stream, Z_NO_FLUSH)
          count = space.count - Int(stream.avail_out)
        }
        output += part
        guard output.count <= limit else { return nil }
        if result == Z_STREAM_END { return stream.avail_in == 0 ? output : nil }
        guard result == Z_OK, !part.isEmpty || stream.avail_in > 0 else { return nil }
      }
    }
  }
}
