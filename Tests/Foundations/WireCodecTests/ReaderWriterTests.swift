import Testing
import WireCodec

@Suite struct ReaderTests {
  // A reader cannot escape, so `#expect` sees what was read, not the reader.
  @Test func readsInOrderAndKnowsWhereItIs() throws {
    let bytes: [UInt8] = [1, 0, 2, 0xFF, 0xFE, 9]
    var reader = Reader(bytes.span.bytes)
    let (peeked, first, second) = (reader.peek, try reader.byte(), try reader.integer(UInt16.self))
    #expect(peeked == 1 && first == 1 && second == 2)
    let (offset, third, remaining) = (reader.offset, try reader.integer(Int16.self), reader.remaining)
    #expect(offset == 3 && third == -2 && remaining == 1)
    do throws(WireError) {
      try reader.finish()
      Issue.record("a byte was left")
    } catch {
      #expect(error == WireError(.trailingBytes(1), offset: 5))
    }
    let rest = [UInt8](copying: reader.restSpan())
    let (isAtEnd, nothing) = (reader.isAtEnd, reader.peek)
    #expect(rest == [9] && isAtEnd && nothing == nil)
  }

  @Test func refusesToReadPastTheEnd() {
    let bytes: [UInt8] = [1, 2]
    let error = WireError(.endOfInput)
    #expect(throws: error) { try Reader.over(bytes) { (reader) throws(WireError) in try reader.bytes(3) } }
    #expect(throws: error) { try Reader.over(bytes) { (reader) throws(WireError) in try reader.bytes(-1) } }
    #expect(throws: error) { try Reader.over(bytes) { (reader) throws(WireError) in try reader.integer(UInt32.self) } }
    #expect(throws: error) { try Reader.over([]) { (reader) throws(WireError) in try reader.byte() } }
  }

  @Test func aFailedReadConsumesNothing() throws {
    let bytes: [UInt8] = [1, 2]
    var reader = Reader(bytes.span.bytes)
    do throws(WireError) {
      _ = try reader.integer(UInt32.self)
      Issue.record("read 4 bytes of 2")
    } catch {
      #expect(error.kind == .endOfInput)
    }
    let remaining = reader.remaining
    #expect(remaining == 2)
  }

  @Test func takesLiteralsWholeOrNotAtAll() {
    let bytes = Array("SUBS".utf8)
    var reader = Reader(bytes.span.bytes)
    let taken = [reader.take("SUBX"), reader.take("SUB"), reader.take("SS")]
    let remaining = reader.remaining
    #expect(taken == [false, true, false])
    #expect(remaining == 1)
  }

  @Test func nestedReadersSeeOnlyTheirBytes() throws {
    let bytes: [UInt8] = [1, 2, 3, 4]
    var reader = Reader(bytes.span.bytes, version: 7)
    _ = try reader.byte()
    var inner = try reader.nested(2)
    let (version, offset, content) = (inner.version, inner.offset, try inner.bytes(2))
    #expect(version == 7 && offset == 1 && content == [2, 3])
    let (isAtEnd, end, next) = (inner.isAtEnd, inner.offset, try reader.byte())
    #expect(isAtEnd && end == 3 && next == 4)
  }

  @Test func nestingIsBounded() throws {
    // Each level is a list of one element, which is again a list.
    let deep = [UInt8](repeating: 1, count: 100)
    do throws(WireError) {
      _ = try Nest.codec.decode(deep)
    } catch {
      #expect(error.kind == .tooDeep)
    }
    #expect(try Nest.codec.decode([1, 1, 0]) == Nest(children: [Nest(children: [Nest(children: [])])]))
  }
}

private struct Nest: Equatable {
  var children: [Nest]

  static var codec: Codec<Nest> {
    .lazy { .record(Field("children", \.children, Nest.codec.list), build: { Nest(children: $0) }) }
  }
}

@Suite struct WriterTests {
  @Test func sizedPartsKnowTheirLength() throws {
    var writer = Writer()
    writer.append(UInt8(9))
    try writer.sized(UInt16.self) { (writer) throws(WireError) in
      writer.append([1, 2, 3])
      try writer.sized(UInt8.self) { (writer) throws(WireError) in writer.append("ab") }
    }
    #expect(writer.bytes == [9, 0, 6, 1, 2, 3, 2, 97, 98])
  }

  @Test func aPartThatIsTooLongIsRefused() {
    #expect(throws: WireError(.tooLong(limit: 255))) {
      var writer = Writer()
      try writer.sized(UInt8.self) { (writer) throws(WireError) in writer.append(repeating: 0, count: 256) }
    }
    #expect(throws: WireError(.tooLong(limit: 255))) {
      try Codec<[UInt8]>.short.encode([UInt8](repeating: 0, count: 256))
    }
    #expect(throws: WireError(.tooLong(limit: 65535))) {
      try Codec<[UInt8]>.large.encode([UInt8](repeating: 0, count: 65536))
    }
    #expect(throws: WireError(.tooLong(limit: 255))) {
      try Codec<UInt8>.integer.list.encode([UInt8](repeating: 0, count: 256))
    }
  }

  @Test func reusesTheMemoryOfABuffer() throws {
    var buffer: [UInt8] = []
    buffer.reserveCapacity(1024)
    let before = buffer.withUnsafeBufferPointer(\.baseAddress)
    var writer = Writer(reusing: buffer)
    buffer = []
    writer.append([1, 2, 3])
    buffer = writer.finish()
    #expect(buffer == [1, 2, 3])
    #expect(buffer.withUnsafeBufferPointer(\.baseAddress) == before)
  }
}

extension Reader {
  static func over<T>(_ bytes: [UInt8], _ body: (inout Reader) throws(WireError) -> T) throws(WireError) -> T {
    var reader = Reader(bytes.span.bytes)
    return try body(&reader)
  }
}
