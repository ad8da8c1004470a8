import WireCodec

/// A function that receives arbitrary bytes and must survive them; it traps where a law is violated.
public struct FuzzTarget: Sendable {
  /// The name by which it is selected.
  public let name: String
  /// Runs it with one input.
  public let run: @Sendable ([UInt8]) -> Void
  /// Well-formed inputs to start with.
  public let seeds: [[UInt8]]

  init(_ name: String, seeds: [[UInt8]] = [], run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.seeds = seeds
    self.run = run
  }

  /// A decoder, with the law that accepted bytes are the bytes that encoding returns.
  ///
  /// The first byte of the input selects the protocol version, where the codec has any. For a `lenient` codec, which
  /// accepts several forms of a value, the law is that the value survives encoding and decoding.
  static func codec<Value>(
    _ name: String, _ codec: Codec<Value>, versions: ClosedRange<UInt16> = 0...0, lenient: Bool = false,
    seeds: [[UInt8]] = []
  ) -> FuzzTarget {
    FuzzTarget(name, seeds: versions.count > 1 ? seeds.map { [UInt8(versions.count - 1)] + $0 } : seeds) { input in
      var bytes = input
      var version = versions.lowerBound
      if versions.count > 1, let first = bytes.first {
        version += UInt16(Int(first) % versions.count)
        bytes.removeFirst()
      }
      guard let value = try? codec.decode(bytes, version: version) else { return }
      guard let encoded = try? codec.encode(value, version: version) else {
        preconditionFailure("\(name): a value that was decoded cannot be encoded: \(bytes)")
      }
      if lenient {
        let again = try? codec.encode(codec.decode(encoded, version: version), version: version)
        precondition(again == encoded, "\(name): changed by a round trip: \(bytes)")
      } else {
        precondition(encoded == bytes, "\(name): accepted bytes are not what encoding gives: \(bytes)")
      }
    }
  }
}

/// Every fuzz target of the project; a module with decoders adds its list here.
public enum FuzzTargets {
  /// All of them; names are unique.
  public static let all: [FuzzTarget] = [
    wireCodecTargets,
    jsonTargets,
    simplexCryptoTargets,
    doubleRatchetTargets,
    smpProtocolTargets,
    xftpProtocolTargets,
    agentProtocolTargets,
    agentEngineTargets,
    chatTextTargets,
    chatProtocolTargets,
    remoteControlTargets,
    notificationTargets,
  ].flatMap { $0 }
}

extension FuzzTarget: CustomStringConvertible {
  /// The name, by which tests list their arguments.
  public var description: String { name }
}
