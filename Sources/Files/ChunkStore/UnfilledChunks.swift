/// The creator of a chunk, for the limits of chunks without bytes: an address, or a connection of an exempt address.
/// Known in memory only.
public struct ChunkOwner: Hashable, Sendable {
  /// The number, which is meaningless after a restart.
  public let value: UInt64

  public init(_ value: UInt64) { self.value = value }

  /// The owner of chunks that an earlier process created.
  public static let unknown = ChunkOwner(0)
}

/// The chunks that wait for their bytes, and what they take in the database.
///
/// Unfilled chunks do not count for the quota, which is for what was uploaded; otherwise a client that only creates
/// chunks would use up the quota of all clients. They have a limit of their own, and each owner has a share of it:
/// above the share the owner's oldest chunks are deleted, and above the limit the oldest of the owner with the most.
struct UnfilledChunks {
  /// The bytes that the record of a chunk takes, about: the row, and its part of the indexes.
  static let chunkSize: Int64 = 512
  /// The bytes that the record of a recipient takes, about.
  static let recipientSize: Int64 = 128
  /// The number of shares of the limit, of which an owner may have one.
  static let shares: Int64 = 4

  private struct Entry {
    var owner: ChunkOwner
    var size: Int64
  }

  private struct Owned {
    var size: Int64 = 0
    /// The owner's chunks in the order of creation, some of which are gone.
    var chunks: ArraySlice<Int64> = []
    var count = 0
  }

  private var entries: [Int64: Entry] = [:]
  private var owners: [ChunkOwner: Owned] = [:]
  /// The bytes that all unfilled chunks take in the database.
  private(set) var size: Int64 = 0
  private let limit: Int64

  /// - Parameter limit: the bytes that all of them may take.
  init(limit: Int64) { self.limit = max(Self.chunkSize, limit) }

  /// The number of chunks.
  var count: Int { entries.count }

  /// Adds a chunk.
  mutating func add(_ chunk: Int64, recipients: Int, owner: ChunkOwner) {
    let size = Self.chunkSize + Int64(recipients) * Self.recipientSize
    entries[chunk] = Entry(owner: owner, size: size)
    self.size += size
    owners[owner, default: Owned()].size += size
    owners[owner, default: Owned()].count += 1
    owners[owner, default: Owned()].chunks.append(chunk)
  }

  /// Notes that recipients of a chunk were added, or removed. No-op for a chunk that has its bytes.
  mutating func changeRecipients(of chunk: Int64, by count: Int64) {
    guard let entry = entries[chunk] else { return }
    let change = count * Self.recipientSize
    entries[chunk]?.size += change
    owners[entry.owner]?.size += change
    size += change
  }

  /// Whether recipients may be added to a chunk: those of chunks with bytes count for the quota instead.
  func mayAddRecipients(_ count: Int64, to chunk: Int64) -> Bool {
    guard let entry = entries[chunk], let owned = owners[entry.owner] else { return true }
    let added = count * Self.recipientSize
    let share = entry.owner == .unknown ? limit : limit / Self.shares
    return owned.size + added <= share && size + added <= limit
  }

  /// Removes a chunk that has its bytes now, or is gone. No-op where there is none.
  mutating func remove(_ chunk: Int64) {
    guard let entry = entries.removeValue(forKey: chunk) else { return }
    size -= entry.size
    guard var owned = owners.removeValue(forKey: entry.owner), owned.count > 1 else { return }
    owned.size -= entry.size
    owned.count -= 1
    if owned.chunks.first == chunk { owned.chunks.removeFirst() }
    if owned.chunks.count > 2 * owned.count + 16 { owned.chunks = owned.chunks.filter { entries[$0] != nil }[...] }
    owners[entry.owner] = owned
  }

  /// The chunks that have to go so that a new one fits, at most `count`.
  func excess(adding recipients: Int, owner: ChunkOwner, upTo count: Int) -> [Int64] {
    let added = Self.chunkSize + Int64(recipients) * Self.recipientSize
    var excess: [Int64] = []
    var freed: Int64 = 0
    func take(from owner: ChunkOwner, until isEnough: (Int64) -> Bool) {
      guard let owned = owners[owner] else { return }
      var left = owned.size
      for chunk in owned.chunks {
        if isEnough(left) || excess.count >= count { return }
        guard let entry = entries[chunk], !excess.contains(chunk) else { continue }
        excess.append(chunk)
        left -= entry.size
        freed += entry.size
      }
    }
    if owner != .unknown { take(from: owner) { $0 + added <= limit / Self.shares } }
    guard size - freed + added > limit, let heaviest = owners.max(by: { $0.value.size < $1.value.size })?.key else {
      return excess
    }
    take(from: heaviest) { _ in size - freed + added <= limit }
    return excess
  }
}
