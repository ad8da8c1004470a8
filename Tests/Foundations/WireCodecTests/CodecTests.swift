import SimplexTesting
import Testing
import WireCodec

private enum Shape: Equatable, Sendable {
  case point
  case circle(radius: UInt16)
  case polygon([UInt8])

  static let alternatives: [Alternative<Shape>] = [
    Alternative("POINT", .point),
    Alternative("CIRCLE", .integer, Shape.circle) { if case .circle(let radius) = $0 { radius } else { nil } },
    Alternative("POLY", .short, Shape.polygon) { if case .polygon(let corners) = $0 { corners } else { nil } },
  ]
  static let keywordCodec = Codec<Shape>.keywords("a shape", alternatives)
  static let taggedCodec = Codec<Shape>.tagged(
    "a shape",
    Alternative("P", .point),
    Alternative("PC", .integer, Shape.circle) { if case .circle(let radius) = $0 { radius } else { nil } },
    Alternative("L", .short, Shape.polygon) { if case .polygon(let corners) = $0 { corners } else { nil } })
}

private struct Drawing: Equatable, Sendable {
  var title: String
  var shapes: [Shape]
  var scale: UInt16?
  var layer: UInt8

  static let codec = Codec<Drawing>.record(
    Field("title", \.title, .shortText),
    Field("shapes", \.shapes, Shape.keywordCodec.inLarge.list),
    Field("scale", \.scale, Codec<UInt16>.integer.optional),
    Field("layer", \.layer, Codec<UInt8>.integer.since(3, otherwise: 0)),
    build: { Drawing(title: $0, shapes: $1, scale: $2, layer: $3) })

  static func random(_ generator: inout SeededGenerator) -> Drawing {
    let shapes = (0..<Int.random(in: 0...20, using: &generator)).map { _ -> Shape in
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: .point
      case 1: .circle(radius: .random(in: .min ... .max, using: &generator))
      default: .polygon(generator.bytes(upTo: 255))
      }
    }
    let title = String(
      (0..<Int.random(in: 0...20, using: &generator)).map { _ in "aß漢🦊 ".randomElement(using: &generator) ?? "a" })
    return Drawing(
      title: title, shapes: shapes, scale: Bool.random(using: &generator) ? 7 : nil,
      layer: .random(in: 0...255, using: &generator))
  }
}

@Suite struct CodecTests {
  @Test(arguments: propertySeeds(20))
  func decodingUndoesEncodingInEveryVersion(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var drawing = Drawing.random(&generator)
      let bytes = try Drawing.codec.encode(drawing, version: 3)
      #expect(try Drawing.codec.decode(bytes, version: 3) == drawing, "seed \(seed)")
      let older = try Drawing.codec.encode(drawing, version: 2)
      drawing.layer = 0
      #expect(try Drawing.codec.decode(older, version: 2) == drawing, "seed \(seed)")
    }
  }

  @Test(arguments: propertySeeds(20))
  func mutatedBytesAreRefusedOrReadBackTheSame(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var bytes = try Drawing.codec.encode(Drawing.random(&generator), version: 3)
      for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
        }
      }
      guard let drawing = try? Drawing.codec.decode(bytes, version: 3) else { continue }
      #expect(try Drawing.codec.encode(drawing, version: 3) == bytes, "seed \(seed)")
    }
  }

  @Test func everyPrefixIsRefused() throws {
    let drawing = Drawing(title: "t", shapes: [.point, .circle(radius: 2), .polygon([1, 2])], scale: 1, layer: 9)
    let bytes = try Drawing.codec.encode(drawing, version: 3)
    for count in 0..<bytes.count {
      #expect(throws: WireError.self) { try Drawing.codec.decode(Array(bytes[..<count]), version: 3) }
    }
    #expect(throws: WireError(.trailingBytes(1), offset: bytes.count)) {
      try Drawing.codec.decode(bytes + [0], version: 3)
    }
  }

  @Test func errorsNameTheFieldTheyAreIn() throws {
    let drawing = Drawing(title: "t", shapes: [.polygon([1, 2, 3])], scale: nil, layer: 0)
    let bytes = try Drawing.codec.encode(drawing)
    do throws(WireError) {
      _ = try Drawing.codec.decode(Array(bytes.dropLast(3)))
      Issue.record("decoded a truncated value")
    } catch {
      #expect(error.path == ["shapes"])
    }
    do throws(WireError) {
      // The polygon claims one byte more than its part has.
      _ = try Shape.keywordCodec.inLarge.decode([0, 7] + Array("POLY ".utf8) + [2, 0])
      Issue.record("decoded a polygon that is too short")
    } catch {
      #expect(error.path == ["POLY"])
      #expect(error.description == "POLY: input ended early (at byte 8)")
    }
  }

  @Test func keywordsAreTakenWhole() throws {
    #expect(try Shape.keywordCodec.decode(text: "POINT") == .point)
    #expect(try Shape.keywordCodec.decode(Array("CIRCLE ".utf8) + [0, 5]) == .circle(radius: 5))
    for wrong in ["", "POIN", "POINTS", "POINT ", "CIRCLE", "CIRCLE  ", "point"] {
      #expect(throws: WireError.self) { try Shape.keywordCodec.decode(text: wrong) }
    }
  }

  @Test func theLongestTagWins() throws {
    for shape in [Shape.point, .circle(radius: 0x4343), .polygon([])] {
      #expect(try Shape.taggedCodec.decode(try Shape.taggedCodec.encode(shape)) == shape)
    }
    #expect(throws: WireError(.expected("a shape"))) { try Shape.taggedCodec.decode(text: "Q") }
  }

  @Test func partsHaveToBeUsedUp() {
    let codec = Codec<UInt8>.integer.inShort
    #expect(throws: WireError(.trailingBytes(1), offset: 2)) { try codec.decode([2, 7, 8]) }
    #expect(throws: WireError(.endOfInput, offset: 1)) { try codec.decode([0]) }
  }

  @Test func versionsChooseBetweenForms() throws {
    let codec = Codec<UInt32>.integer.since(
      5, before: Codec<UInt16>.integer.map(UInt32.init, UInt16.init(truncatingIfNeeded:)))
    #expect(try codec.encode(1, version: 4) == [0, 1])
    #expect(try codec.encode(1, version: 5) == [0, 0, 0, 1])
    #expect(try codec.decode([0, 1], version: 4) == 1)
    #expect(throws: WireError.self) { try codec.decode([0, 1], version: 5) }
  }

  @Test func validationHoldsInBothDirections() throws {
    let even = Codec<UInt8>.integer.validated("an even number") { $0 % 2 == 0 }
    #expect(throws: WireError(.expected("an even number"))) { try even.decode([3]) }
    #expect(throws: WireError(.expected("an even number"))) { try even.encode(3) }
    #expect(try even.decode([4]) == 4)
    #expect(throws: WireError(.expected("3 bytes"))) { try Codec<[UInt8]>.fixed(3).encode([1]) }
  }

  @Test func aCountThatLiesReservesNothing() {
    // 255 elements are claimed, one byte follows.
    #expect(throws: WireError.self) { try Codec<[UInt8]>.large.list.decode([255, 0]) }
  }
}
