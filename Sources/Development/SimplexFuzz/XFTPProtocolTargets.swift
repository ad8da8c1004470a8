import SMPProtocol
import WireCodec
import XFTPProtocol

private let versions: ClosedRange<UInt16> = 1...3

private let description = """
  chunkSize: 64kb
  digest: YQ==
  key: AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw=
  nonce: AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2k
  party: recipient
  redirect:
    digest: YQ==
    size: 9437184
  replicas:
  - chunks:
    - 1:YQ==:MC4CAQAwBQYDK2VwBCIEIECwbVtFPfMWwJFaq4X7M9Qy5OtTeMxYfJNVJ4x1Q1yp:YQ==:1mb
    server: xftp://YQ==@a.example
  size: 1mb

  """

let xftpProtocolTargets: [FuzzTarget] = [
  .codec(
    "xftp-command", FileCommand.codec, versions: versions, lenient: true,
    seeds: [Array("FPUT".utf8), Array("PING".utf8)]),
  .codec(
    "xftp-response", FileResponse.codec, versions: versions, lenient: true,
    seeds: [Array("ERR CMD SYNTAX".utf8), Array("ERR BLOCKED reason=spam".utf8)]),
  .codec("xftp-error", XFTPErrorType.codec, lenient: true, seeds: [Array("DIGEST".utf8)]),
  .codec("xftp-client-hello", XFTPClientHello.codec, lenient: true, seeds: [[0x30]]),
  .codec("xftp-server-handshake", XFTPServerHandshake.codec, lenient: true),
  .codec("xftp-client-handshake", XFTPClientHandshake.codec, lenient: true, seeds: [[0, 3, 0]]),
  // Text that is not UTF-8 is repaired, and may then be too long.
  FuzzTarget("xftp-file-header", seeds: [[1, 0x61, 0x30]]) { input in
    guard let (header, size) = try? FileHeader.read(from: input.span.bytes) else { return }
    precondition(size <= input.count, "xftp-file-header: longer than the input")
    guard let encoded = try? FileHeader.codec.encode(header) else { return }
    precondition((try? FileHeader.codec.decode(encoded)) == header, "xftp-file-header: changed by a round trip")
  },
  .codec("xftp-size", FileSize.codec, lenient: true, seeds: [Array("64kb".utf8)]),
  // YAML has many spellings.
  .codec("xftp-description", FileDescription.codec, lenient: true, seeds: [Array(description.utf8)]),
  .codec(
    "xftp-uri", FileDescriptionURI.codec, lenient: true,
    seeds: [Array("simplex:/file#/?desc=".utf8) + PercentEncoding.encode(Array(description.utf8))]),
  FuzzTarget("xftp-web-link", seeds: [Array("eA".utf8)]) { input in
    guard let link = try? FileWebLink.description(fragment: String(decoding: input, as: UTF8.self)) else { return }
    guard let fragment = try? FileWebLink.fragment(of: link) else {
      preconditionFailure("xftp-web-link: a description that was read cannot be written")
    }
    precondition((try? FileWebLink.description(fragment: fragment)) == link, "xftp-web-link: changed by a round trip")
  },
  FuzzTarget("xftp-block", seeds: [[2, 1, 0, 8, 0, 1, 1, 0, 0, 80, 73, 78, 71]]) { input in
    let version = versions.lowerBound + UInt16(Int(input.first ?? 0) % versions.count)
    let session = SessionContext(version: version, sessionID: SessionID([1]))
    guard let block = try? XFTPBlock.padded(Array(input.dropFirst())) else { return }
    _ = XFTPBlock.transmission(of: FileCommand.self, in: block, session: session)
    _ = XFTPBlock.transmission(of: FileResponse.self, in: block, session: session)
  },
]
