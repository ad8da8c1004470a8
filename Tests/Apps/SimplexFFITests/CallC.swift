import Foundation
import SimplexFFI
import Testing

/// Takes a string that C gave, and frees it.
func taken(_ string: UnsafeMutablePointer<CChar>?) throws -> String {
  let string = try #require(string)
  defer { free(string) }
  return String(cString: string)
}

/// Memory as C callers have it.
final class CBuffer {
  let memory: UnsafeMutableRawPointer
  let count: Int

  init(_ bytes: [UInt8]) {
    count = bytes.count
    memory = .allocate(byteCount: max(1, bytes.count), alignment: 1)
    memory.copyMemory(from: bytes, byteCount: bytes.count)
  }

  deinit { memory.deallocate() }

  var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: memory, count: count)) }
}

/// A folder that goes away with the value.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}
