import SimplexJSON

/// Errors of file servers.
public indirect enum XFTPErrorType: JSONCodable, Hashable, Sendable, Error {
  case BLOCK
  case SESSION
  case HANDSHAKE
  case CMD(cmdErr: ProtocolCommandError)
  case AUTH
  case BLOCKED(blockInfo: BlockingInfo)
  case SIZE
  case QUOTA
  case DIGEST
  case CRYPTO
  case NO_FILE
  case HAS_FILE
  case FILE_IO
  case TIMEOUT
  case INTERNAL
  case DUPLICATE_
}

/// Errors of files.
public enum FileErrorType: JSONCodable, Hashable, Sendable, Error {
  case NOT_APPROVED
  case SIZE
  case REDIRECT(redirectError: String)
  case FILE_IO(fileIOError: String)
  case NO_FILE
}
