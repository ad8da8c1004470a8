import SimplexTesting

/// A file on a ``SimulatedDisk``: what programs read, and what of it a power failure may leave.
package final class SimulatedFile {
  /// What becomes of changes that were not flushed.
  package enum Loss: CaseIterable {
    /// All of them are lost.
    case everything
    /// None is lost.
    case nothing
    /// Any of them is lost.
    case someWrites
    /// Any sector of any of them is lost.
    case someSectors
    /// All after one of them are lost, and that one is torn.
    case end
  }

  private enum State {
    /// Not flushed since.
    case pending
    /// A flush failed: no later one says anything about it.
    case doubtful
    /// Flushed, after a doubtful one.
    case durable
  }

  private enum Change {
    case write(offset: Int, [UInt8])
    case size(Int)
  }

  /// What programs read.
  package private(set) var content: [UInt8]
  /// What is durable, without `changes`.
  private var base: [UInt8]
  private var changes: [(change: Change, state: State)] = []

  package init(content: [UInt8] = []) { (self.content, base) = (content, content) }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    let change = Change.write(offset: offset, Array(bytes))
    Self.apply(change, to: &content)
    changes.append((change, .pending))
  }

  package func resize(to size: Int) {
    Self.apply(.size(size), to: &content)
    changes.append((.size(size), .pending))
  }

  /// Makes all changes durable, except doubtful ones.
  package func flush() {
    if changes.contains(where: { $0.state == .doubtful }) {
      for index in changes.indices where changes[index].state == .pending { changes[index].state = .durable }
    } else {
      for change in changes { Self.apply(change.change, to: &base) }
      changes.removeAll()
    }
  }

  /// A flush fails: what it was to flush may become durable or not, for ever.
  package func failToFlush() {
    for index in changes.indices where changes[index].state == .pending { changes[index].state = .doubtful }
  }

  /// What a power failure now leaves.
  package func contentAfterPowerFailure(
    _ loss: Loss, _ random: inout SeededGenerator, sectorSize: Int = 512
  ) -> [UInt8] {
    var result = base
    let last = changes.isEmpty ? 0 : Int.random(in: changes.indices, using: &random)
    for (index, (change, state)) in changes.enumerated() {
      switch (state, loss) {
      case (.durable, _), (_, .nothing): Self.apply(change, to: &result)
      case (_, .everything): break
      case (_, .someWrites): if Bool.random(using: &random) { Self.apply(change, to: &result) }
      case (_, .someSectors):
        for part in Self.sectors(of: change, size: sectorSize) where Bool.random(using: &random) {
          Self.apply(part, to: &result)
        }
      case (_, .end):
        if index < last { Self.apply(change, to: &result) }
        if index == last { Self.apply(Self.torn(change, &random), to: &result) }
      }
    }
    return result
  }

  private static func apply(_ change: Change, to content: inout [UInt8]) {
    switch change {
    case .size(let size):
      if size < content.count { content.removeLast(content.count - size) }
      if size > content.count { content += [UInt8](repeating: 0, count: size - content.count) }
    case .write(let offset, let bytes):
      let end = offset + bytes.count
      if end > content.count { content += [UInt8](repeating: 0, count: end - content.count) }
      content.withUnsafeMutableBytes { content in
        UnsafeMutableRawBufferPointer(rebasing: content[offset..<end]).copyBytes(from: bytes)
      }
    }
  }

  private static func sectors(of change: Change, size sectorSize: Int) -> [Change] {
    guard case .write(let offset, let bytes) = change else { return [change] }
    var parts: [Change] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, (offset + start) / sectorSize * sectorSize + sectorSize - offset)
      parts.append(.write(offset: offset + start, Array(bytes[start..<end])))
      start = end
    }
    return parts
  }

  /// The first bytes of a change, up to the middle of a sector.
  private static func torn(_ change: Change, _ random: inout SeededGenerator) -> Change {
    guard case .write(let offset, let bytes) = change else { return change }
    return .write(offset: offset, Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
  }
}
