import SimplexCrypto
import WireCodec

/// Why a ratchet refused. Whatever is thrown, the ratchet and its skipped keys are as they were before.
public enum RatchetError: Error, Hashable, Sendable {
  /// The bytes are no ratchet message, or the decrypted header is none.
  case malformed(WireError)
  /// No key of this ratchet opens the header: a message of another connection, a damaged one, or one of an old chain
  /// that was received before or given up.
  case unknownHeader
  /// The message with this header was received before.
  case duplicateMessage
  /// The message was received or given up before; this many numbers lie between it and the next one expected.
  case earlierMessage(UInt32)
  /// The message would skip more than ``Ratchet/maximumSkipped`` others; this many.
  case tooManySkipped(UInt32)
  /// The header is right and the body does not belong to it.
  case bodyNotAuthentic
  /// The message does not fit the padded size: at most `limit` bytes do.
  case messageTooLong(limit: Int)
  /// The side that created the invitation has to receive a message before it can send.
  case cannotSendYet
  /// A chain has used up its 2³² message numbers.
  case chainExhausted
  /// The peer accepts a KEM key that was not proposed to it, or the other way round.
  case unexpectedKEM
  /// A cryptographic operation failed, for instance because the peer sent a useless key.
  case crypto(CryptoError)

  init(_ error: CryptoError) {
    if case .messageTooLong(let limit) = error {
      self = .messageTooLong(limit: limit)
    } else {
      self = .crypto(error)
    }
  }
}
