import DiskSimulation
import SQLiteKit

@testable import QueueStore

/// The journal on a ``SimulatedDisk``. Safe to send: a writer and its disk are used by one thread.
final class SimulatedJournal: JournalStorage, @unchecked Sendable {
  private let disk: SimulatedDisk
  private let file: SimulatedFile

  init(_ disk: SimulatedDisk, name: String) throws(SQLiteError) {
    self.disk = disk
    switch disk.open(name) {
    case .success(let file): self.file = file
    case .failure(let error): throw Self.failure(error)
    }
  }

  func contents() throws(SQLiteError) -> [UInt8] {
    if let error = disk.read() { throw Self.failure(error) }
    return file.content
  }

  func writeDirectly() {}

  func write(_ piece: borrowing PieceBuffer, at offset: Int) throws(SQLiteError) {
    let blocks = piece.blocks
    let error = blocks.withUnsafeBytes { disk.write($0, to: file, at: offset) }
    if let error { throw Self.failure(error) }
  }

  func sync() throws(SQLiteError) {
    if let error = disk.flush(file) { throw Self.failure(error) }
  }

  func empty() { _ = disk.resize(file, to: 0) }

  private static func failure(_ error: DiskError) -> SQLiteError {
    SQLiteError(error.fault == .inputOutput ? .inputOutput : .diskFull, "the simulated disk")
  }
}
