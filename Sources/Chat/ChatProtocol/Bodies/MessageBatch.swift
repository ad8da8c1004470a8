import WireCodec

/// Several messages in one body.
public struct MessageBatch: Hashable, Sendable {
  /// The body.
  public var body: [UInt8]
  /// Which of the messages are in it.
  public var elements: Range<Int>

  /// The form of a batch.
  public enum Form: Hashable, Sendable {
    /// A JSON array.
    case json
    /// Messages with their lengths, which may be signed or forwarded: for groups with relays.
    case binary
  }

  /// Packs messages into as few bodies as their order allows. A single message in its body has no batch form.
  ///
  /// `elements` are encoded messages; those longer than `limit` bytes are left out and their indices returned.
  public static func pack(
    _ elements: [[UInt8]], form: Form, limit: Int = ChatMessageSize.encodedMessage
  ) -> (batches: [MessageBatch], tooLarge: [Int]) {
    var batches: [MessageBatch] = []
    var tooLarge: [Int] = []
    var start = 0
    var length = 0
    func finish(_ end: Int) {
      if start < end { batches.append(MessageBatch(body: join(elements[start..<end], form), elements: start..<end)) }
    }
    for (index, element) in elements.enumerated() {
      guard element.count <= limit else {
        finish(index)
        tooLarge.append(index)
        (start, length) = (index + 1, 0)
        continue
      }
      let count = index - start + 1
      if count > MessageBody.maximumCount || size(of: length + element.count, count: count, in: form) > limit {
        finish(index)
        (start, length) = (index, 0)
      }
      length += element.count
    }
    finish(elements.count)
    return (batches, tooLarge)
  }

  /// The size of a body of `count` messages with `length` bytes in all.
  private static func size(of length: Int, count: Int, in form: Form) -> Int {
    guard count > 1 else { return length }
    return switch form {
    case .json: length + count + 1
    case .binary: length + 2 * count + 2
    }
  }

  private static func join(_ elements: ArraySlice<[UInt8]>, _ form: Form) -> [UInt8] {
    if elements.count == 1, let element = elements.first { return element }
    switch form {
    case .json:
      var body: [UInt8] = []
      body.reserveCapacity(elements.reduce(elements.count + 1) { $0 + $1.count })
      for element in elements {
        body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
        body.append(contentsOf: element)
      }
      body.append(UInt8(ascii: "]"))
      return body
    case .binary:
      // Lengths and count are within what the form holds.
      return (try? binaryCodec.encode(Array(elements))) ?? []
    }
  }

  /// `=`, the count in one byte and elements after their lengths in two. A relay writes it for single elements too.
  public static let binaryCodec = Codec<[UInt8]>.large.list.after("=")
}
