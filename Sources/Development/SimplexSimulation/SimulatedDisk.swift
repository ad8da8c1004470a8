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
    if image != images.last { images.append(image) }
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
