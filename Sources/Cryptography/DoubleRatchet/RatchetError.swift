import SimplexCrypto
import WireCodec

/// Why a ratchet refused an operation. The ratchet and its skipped keys are unchanged after any error.
public enum RatchetError: Error, Hashable, Sendable {
  /// The bytes are not a ratchet message, or the decrypted header is malformed.
  case malformed(WireError)
  /// No key of this ratchet opens the header: a message of another connection, a corrupted one, or one of a previous
  /// chain that was received or given up before.
  case unknownHeader
  /// The message with this header was received before.
  case duplicateMessage
  /// The message was received or given up before; this many numbers lie between it and the next expected one.
  case earlierMessage(UInt32)
  /// The message would skip more than ``Ratchet/maximumSkipped`` others: this many.
  case tooManySkipped(UInt32)
  /// The header is authentic and the body is not.
  case bodyNotAuthentic
  /// The message does not fit the padded size: at most `limit` bytes do.
  case messageTooLong(limit: Int)
  /// The side that created the invitation has to receive a message before it can send.
  case cannotSendYet
  /// A chain has used all of its 2³² message numbers.
  case chainExhausted
  /// The peer accepts a KEM key that was not proposed to it, or the other way round.
  case unexpectedKEM
  /// A cryptographic operation failed, for instance because the peer sent an unusable key.
  case crypto(CryptoError)

  init(_ error: CryptoError) {
    if case .messageTooLong(let limit) = error {
      self = .messageTooLong(limit: limit)
    } else {
      self = .crypto(error)
    }
  }
}
