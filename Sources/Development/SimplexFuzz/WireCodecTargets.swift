import WireCodec

/// A recursive type with a member of every form.
private struct Tree: Sendable {
  var name: String
  var payload: [UInt8]?
  var branches: [Tree]

  static var codec: Codec<Tree> {
    .lazy {
      .record(
        Field("name", \.name, .shortText), Field("payload", \.payload, Codec<[UInt8]>.large.optional),
        Field("branches", \.branches, Tree.codec.inLarge.list.since(2, otherwise: [])),
        build: { Tree(name: $0, payload: $1, branches: $2) })
    }
  }
}

let wireCodecTargets: [FuzzTarget] = [
  .codec("wire-tree", Tree.codec, versions: 1...2, seeds: [[1, 97, 48, 0], [1, 97, 48, 1, 0, 4, 1, 98, 48, 0]]),
  .codec("wire-decimal", Codec<Int64>.decimal, lenient: true, seeds: [Array("-120".utf8)]),
  .codec("wire-base64url", .base64url, lenient: true, seeds: [Array("Zm9vYg==".utf8)]),
  .codec("wire-query", QueryString.codec, lenient: true, seeds: [Array("v=1-2&dh=a%3D".utf8)]),
  .codec("wire-uri", URIReference.codec, seeds: [Array("https://a@b:1/c?d#e".utf8)]),
  .codec("wire-time", UTCTime.textCodec, lenient: true, seeds: [Array("2023-11-14T22:13:20.123Z".utf8)]),
  .codec("wire-version-range", VersionRange.textCodec, lenient: true, seeds: [Array("1-4".utf8)]),
]
