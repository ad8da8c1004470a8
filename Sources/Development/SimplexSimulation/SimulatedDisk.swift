import Foundation
import SQLiteKit

/// The database of a device, which a power failure may set back: what was committed after the last synchronization is
/// there or not, in the order of the commits, as with a write-ahead log whose end did not reach the disk.
final class SimulatedDisk {
  /// The open database.
  private(set) var database: SQLiteConnection
  /// Whether power failures may come; without them no images are made, which takes time.
  private let keepsImages: Bool
  /// The state that is durable, and those after the commits since.
  private var images: [[UInt8]] = []
  /// Asked before each commit.
  var allowsCommit: (() -> Bool)? {
    didSet { watch() }
  }

  /// An empty disk.
  init(keepsImages: Bool) throws(SQLiteError) {
    self.keepsImages = keepsImages
    database = try SQLiteConnection(path: ":memory:")
    try committed()
    watch()
  }

  private func watch() {
    database.gateCommits(allowsCommit)
    database.gateSynchronization { [unowned self] in synchronized() }
  }

  /// How many states a power failure may leave.
  var stateCount: Int { images.count }

  /// Something was committed.
  func committed() throws(SQLiteError) {
    guard keepsImages else { return }
    let image = try database.image()
    if !isNewest(image) { images.append(image) }
  }

  /// Whether an image is the newest one. It is compared as a block of memory: tests are not optimized, and comparing
  /// the bytes of arrays took half of their time.
  private func isNewest(_ image: [UInt8]) -> Bool {
    guard let newest = images.last, newest.count == image.count else { return false }
    return image.withUnsafeBytes { left in
      newest.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return memcmp(left, right, image.count) == 0
      }
    }
  }

  /// What was committed is durable.
  private func synchronized() -> Bool {
    do { try committed() } catch { return false }
    if images.count > 1 { images.removeFirst(images.count - 1) }
    return true
  }

  /// The machine had no power: the database is in one of its states since the last synchronization. Whoever used it is
  /// gone.
  /// - Returns: how many commits are lost.
  func losePower(using random: inout SimulationRandom) throws(SQLiteError) -> Int {
    guard keepsImages, !images.isEmpty else { return 0 }
    let survivor = Int.random(in: 0..<images.count, using: &random)
    let lost = images.count - 1 - survivor
    images = [images[survivor]]
    if lost > 0 {
      database.gateCommits(nil)
      database.gateSynchronization(nil)
      database = try SQLiteConnection(image: images[0])
      watch()
    }
    return lost
  }
}
