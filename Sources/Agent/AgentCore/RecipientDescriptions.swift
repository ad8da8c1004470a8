import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

/// The descriptions of a sent file for its recipients. Each is made when it is asked for: for a large file and many
/// recipients, all of them together would not fit into memory.
public struct RecipientDescriptions: Sendable {
  /// The first one.
  private let first: FileDescription
  /// The secret from which the recipients' keys are derived; 32 bytes.
  private let seed: SecretBytes
  /// For each chunk, the recipients' identifiers.
  private let ids: [[EntityID]]
  /// The number of descriptions.
  public let count: Int

  /// The descriptions of a file.
  /// - Parameters:
  ///   - file: a description of the file whose chunks have one replica each; its identifiers and keys do not matter.
  ///   - seed: as for ``ChunkKeys``.
  ///   - ids: the recipients' identifiers of each chunk.
  public init(_ file: FileDescription, seed: SecretBytes, ids: [[EntityID]]) {
    self.seed = seed
    self.ids = ids
    count = ids.map(\.count).min() ?? 0
    first = Self.description(0, like: file, seed: seed, ids: ids)
  }

  /// The description for a recipient, counted from 0; nil where there are not so many.
  public func description(at index: Int) -> FileDescription? {
    (0..<count).contains(index) ? Self.description(index, like: first, seed: seed, ids: ids) : nil
  }

  private static func description(
    _ index: Int, like file: FileDescription, seed: SecretBytes, ids: [[EntityID]]
  ) -> FileDescription {
    var description = file
    description.chunks = zip(file.chunks, ids).map { chunk, ids in
      var chunk = chunk
      chunk.replicas = chunk.replicas.prefix(1).map { replica in
        FileReplica(
          server: replica.server, id: ids.indices.contains(index) ? ids[index] : .none,
          key: ChunkKeys(seed: seed, chunk: chunk.number, server: replica.server).recipient(index))
      }
      return chunk
    }
    return description
  }

  /// The stored form.
  static let storedCodec = Codec<RecipientDescriptions>(
    decode: { (reader) throws(WireError) -> RecipientDescriptions in
      let file = try FileDescription.storedCodec.decode(&reader)
      let secret = try reader.bytes(32)
      let seed = SecretBytes(secret)
      var ids: [[EntityID]] = []
      for _ in file.chunks { ids.append(try EntityID.codec.manyUnbounded.decode(&reader)) }
      return RecipientDescriptions(file, seed: seed, ids: ids)
    },
    encode: { (descriptions, writer) throws(WireError) in
      try FileDescription.storedCodec.encode(descriptions.first, &writer)
      writer.append(descriptions.seed.bytes)
      for ids in descriptions.ids { try EntityID.codec.manyUnbounded.encode(ids, &writer) }
    })
}
