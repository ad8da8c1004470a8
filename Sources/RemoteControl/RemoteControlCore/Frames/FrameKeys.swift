import RemoteControlProtocol
import SimplexCrypto

/// The key and the nonce of one box.
public struct OneTimeKey: Sendable, Equatable {
  /// The key.
  public let key: BoxKey
  /// The nonce.
  public let nonce: BoxNonce
}

/// The keys of one frame: two steps of a chain, whether or not a file follows.
public struct FrameKeyPair: Sendable, Equatable {
  /// The key of the content.
  public let body: OneTimeKey
  /// The key of the file.
  public let file: OneTimeKey
}

/// The chain keys of a session in both directions, with the counters of frames.
///
/// Frames of parallel streams may arrive in any order: the keys of those that were skipped are kept until they are
/// used. A failed operation leaves the value unchanged; a received frame changes it when the caller takes the value
/// that ``receiving(_:)`` returns. Keys are zeroed with the last copy of the value that holds them.
public struct FrameKeys: Sendable, Equatable {
  /// The maximum difference between the counters of a frame and the last one, and the maximum number of skipped frames
  /// whose keys are kept; older ones are forgotten.
  public static let skippedLimit = 256

  private var sending: BoxKeyChain
  private var receivingChain: BoxKeyChain
  /// The counter of the last frame that was sent; 0 before the first.
  public private(set) var sentCounter: UInt32 = 0
  /// The highest counter of a received frame; 0 before the first.
  public private(set) var receivedCounter: UInt32 = 0
  private var skipped: [UInt32: FrameKeyPair] = [:]

  /// The keys of a session whose handshake is complete.
  public init(sending: BoxKeyChain, receiving: BoxKeyChain) {
    self.sending = sending
    receivingChain = receiving
  }

  /// The number of skipped frames whose keys are kept.
  public var skippedCount: Int { skipped.count }

  /// Advances to the next frame to send.
  /// - Throws: `encrypt` after 2³² − 1 frames.
  public mutating func send() throws(FrameError) -> (counter: UInt32, keys: FrameKeyPair) {
    guard sentCounter < .max else { throw .remoteControl(.encrypt) }
    sentCounter += 1
    return (sentCounter, sending.nextPair())
  }

  /// The keys of a frame to receive, and the value to continue with if the frame is authentic.
  /// - Throws: `manySkippedIDs`, `earlierID`, `duplicateID`.
  public func receiving(_ counter: UInt32) throws(FrameError) -> (keys: FrameKeyPair, next: FrameKeys) {
    var next = self
    if counter < receivedCounter {
      guard let keys = next.skipped.removeValue(forKey: counter) else { throw .earlierID(receivedCounter - counter) }
      return (keys, next)
    }
    if counter == receivedCounter { throw .duplicateID }
    guard counter - receivedCounter <= Self.skippedLimit else {
      throw .manySkippedIDs(counter - receivedCounter)
    }
    for passed in receivedCounter + 1..<counter { next.skipped[passed] = next.receivingChain.nextPair() }
    next.forgetOldest()
    next.receivedCounter = counter
    return (next.receivingChain.nextPair(), next)
  }

  private mutating func forgetOldest() {
    let excess = skipped.count - Self.skippedLimit
    guard excess > 0 else { return }
    for counter in skipped.keys.sorted().prefix(excess) { skipped[counter] = nil }
  }
}

extension BoxKeyChain {
  fileprivate mutating func nextPair() -> FrameKeyPair {
    let body = next()
    let file = next()
    return FrameKeyPair(
      body: OneTimeKey(key: body.key, nonce: body.nonce), file: OneTimeKey(key: file.key, nonce: file.nonce))
  }
}
