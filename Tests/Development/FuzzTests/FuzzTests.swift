import Foundation
import SimplexFuzz
import SimplexTesting
import Testing

/// The fuzz targets without the fuzzer: every past finding, the seeds, and random changes of them. `make fuzz` is the
/// search itself.
@Suite struct FuzzTests {
  @Test func namesAreUnique() {
    #expect(Set(FuzzTargets.all.map(\.name)).count == FuzzTargets.all.count)
  }

  /// One file per finding, in a folder with the target's name.
  @Test(arguments: FuzzTargets.all)
  func findingsStayFixed(target: FuzzTarget) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Regressions").appendingPathComponent(target.name)
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      target.run([UInt8](try Data(contentsOf: file)))
    }
  }

  @Test(arguments: FuzzTargets.all)
  func changedSeedsBreakNoLaw(target: FuzzTarget) {
    var generator = SeededGenerator(seed: 1)
    for seed in target.seeds + [[]] {
      target.run(seed)
      for _ in 0..<300 {
        var input = seed
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          let index = Int.random(in: 0...input.count, using: &generator)
          switch Int.random(in: 0..<3, using: &generator) {
          case 0 where index < input.count: input[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
          case 1 where index < input.count: input.remove(at: index)
          default: input.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
          }
        }
        target.run(input)
      }
    }
  }
}
