import SMPProtocol
import WireCodec

/// The error response of a file relay. Source: xftp.md, "Error responses".
public enum XFTPErrorType: Error, Hashable, Sendable {
  /// The block or the transmission in it is malformed.
  case BLOCK
  /// The session identifier is not that of this connection.
  case SESSION
  /// The handshake is malformed, or names another relay or an unsupported version.
  case HANDSHAKE
  /// The command is malformed or not allowed.
  case CMD(cmdErr: ProtocolCommandError)
  /// The authorization is invalid, or there is no such chunk; clients cannot distinguish the two.
  case AUTH
  /// The chunk was blocked by the relay's operator; from version 3 on.
  case BLOCKED(blockInfo: BlockingInfo)
  /// The size of the chunk is not allowed, or not the declared one.
  case SIZE
  /// The relay has no room.
  case QUOTA
  /// The chunk does not have the declared digest.
  case DIGEST
  /// The box of a chunk cannot be opened.
  case CRYPTO
  /// The chunk was not uploaded.
  case NO_FILE
  /// A chunk follows a command or response that has none.
  case HAS_FILE
  /// Reading or writing the chunk failed.
  case FILE_IO
  /// The transfer took too long.
  case TIMEOUT
  /// Any other failure of the relay.
  case INTERNAL
  /// Used inside the reference implementation only.
  case DUPLICATE_
}

extension XFTPErrorType {
  /// The wire form, which ends with the input; also the text form.
  public static let codec: Codec<XFTPErrorType> = .keywords(
    "an error",
    Alternative("BLOCK", .BLOCK),
    Alternative("SESSION", .SESSION),
    Alternative("HANDSHAKE", .HANDSHAKE),
    Alternative(
      "CMD", ProtocolCommandError.codec, { .CMD(cmdErr: $0) },
      { if case .CMD(let error) = $0 { error } else { nil } }),
    Alternative("AUTH", .AUTH),
    Alternative(
      "BLOCKED", BlockingInfo.codec, { .BLOCKED(blockInfo: $0) },
      { if case .BLOCKED(let info) = $0 { info } else { nil } }),
    Alternative("SIZE", .SIZE),
    Alternative("QUOTA", .QUOTA),
    Alternative("DIGEST", .DIGEST),
    Alternative("CRYPTO", .CRYPTO),
    Alternative("NO_FILE", .NO_FILE),
    Alternative("HAS_FILE", .HAS_FILE),
    Alternative("FILE_IO", .FILE_IO),
    Alternative("TIMEOUT", .TIMEOUT),
    Alternative("INTERNAL", .INTERNAL),
    Alternative("DUPLICATE_", .DUPLICATE_))

  /// The error response to a transmission that is rejected.
  public init(_ error: TransmissionError) {
    switch error {
    case .block: self = .BLOCK
    case .session: self = .SESSION
    case .message(let error): self = .CMD(cmdErr: error)
    }
  }
}

extension XFTPErrorType: CustomStringConvertible {
  /// The text form.
  public var description: String { (try? Self.codec.text(self)) ?? "INTERNAL" }
}
