import Foundation
import SimpleXChat
import SimplexTesting

extension TestWorld {
  /// The disk of a person's databases, which is made at its first use: before the databases are opened.
  func volatileDisk(of name: String) -> VolatileDisk {
    if let disk = disks[name] { return disk }
    let disk = VolatileDisk(prefix: folder.appending(path: name).path)
    disks[name] = disk
    return disk
  }

  /// The power of a person's device fails, and comes back: the program ends, and what was not synchronized may be lost.
  /// - Returns: the program that was opened then, and how many writes are lost.
  func losePower(_ name: String, using chance: inout SeededGenerator) async throws -> (core: TestCore, lost: Int) {
    let disk = volatileDisk(of: name)
    disk.losePower()
    network?.cutOff(name)
    await cores[name]?.controller.kill()
    let lost = try await disk.restorePower(using: &chance)
    return (try await open(name), lost)
  }
}
