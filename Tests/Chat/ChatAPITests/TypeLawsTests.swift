import ChatAPI
import Foundation
import SimplexJSON
import Testing

import SimplexTesting

/// The laws of every type, with samples made from the table of the catalog.
@Suite("Laws of all types")
struct TypeLawsTests {
  /// What is read is written again, member by member, and both spellings give the value back.
  @Test(arguments: Array(apiTypes.keys.sorted()))
  func whatIsReadIsWritten(name: String) throws {
    let seed = UInt64.random(in: .min ... .max)
    let type = try #require(apiTypes[name])
    for row in try #require(TypeTable.shared.rowsByType[name]) {
      for optionals in Sampler.Optionals.allCases {
        var sampler = Sampler(table: .shared, random: SeededGenerator(seed: seed), optionals: optionals)
        let sample = sampler.sample(row)
        try check(type, sample, "\(name) \(row.variant), seed \(seed)")
      }
    }
  }

  private func check<T: APIType>(_: T.Type, _ sample: JSONValue, _ comment: String) throws {
    let value: T
    do {
      value = try T(jsonText: sample.jsonText())
    } catch {
      Issue.record("\(comment): \(error)")
      return
    }
    let tagged = value.jsonText(sums: .tagged)
    let singleField = value.jsonText(sums: .singleField)
    #expect(try JSONValue(jsonText: tagged) == sample, "\(comment)")
    #expect(try T(jsonText: tagged) == value, "\(comment)")
    #expect(try T(jsonText: singleField) == value, "\(comment)")
    #expect(!singleField.contains("null,\"_owsf\""), "\(comment)")
  }

  /// A type that is in the sources but not in the table would go untested.
  @Test func everyTypeOfTheTableIsKnown() {
    #expect(Set(TypeTable.shared.rowsByType.keys) == Set(apiTypes.keys))
    #expect(apiTypes.count > 300)
  }

  /// A member that is required cannot be left out: the error names it.
  @Test(arguments: Array(apiTypes.keys.sorted()))
  func brokenSamplesAreErrorsAndNeverTraps(name: String) throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let type = try #require(apiTypes[name])
    let row = try #require(TypeTable.shared.rowsByType[name]?.randomElement(using: &random))
    var sampler = Sampler(table: .shared, random: random, optionals: .all)
    let bytes = sampler.sample(row).jsonBytes()
    for _ in 0..<50 {
      var broken = bytes
      broken[Int.random(in: broken.indices, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
      _ = try? type.init(jsonBytes: broken)
      _ = try? type.init(jsonBytes: Array(bytes[..<Int.random(in: 0..<bytes.count, using: &random)]))
    }
  }
}
