import SimplexJSON

/// A file attached to an item.
public struct CIFile: JSONCodable, Hashable, Sendable {
  /// Database id of the file.
  public var fileId: Int64
  /// Name of the file.
  public var fileName: String
  /// Size in bytes.
  public var fileSize: Int64
  /// The local file.
  public var fileSource: CryptoFile?
  /// The state of the transfer.
  public var fileStatus: CIFileStatus
  /// How the file is transferred.
  public var fileProtocol: FileProtocol
}

/// How a file is transferred.
public enum FileProtocol: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case smp
  case xftp
  case local
}

/// A local file, encrypted or not.
public struct CryptoFile: JSONCodable, Hashable, Sendable {
  /// Path, or name in the files folder.
  public var filePath: String
  /// Key and nonce if the local file is encrypted.
  public var cryptoArgs: CryptoFileArgs?
}

/// Key and nonce of an encrypted local file.
public struct CryptoFileArgs: JSONCodable, Hashable, Sendable {
  /// 32-byte key, base64url.
  public var fileKey: String
  /// 24-byte nonce, base64url.
  public var fileNonce: String
}

/// The state of a transfer.
public indirect enum CIFileStatus: JSONCodable, Hashable, Sendable {
  case sndStored
  case sndTransfer(sndProgress: Int64, sndTotal: Int64)
  case sndCancelled
  case sndComplete
  case sndError(sndFileError: FileError)
  case sndWarning(sndFileError: FileError)
  case rcvInvitation
  case rcvAccepted
  case rcvTransfer(rcvProgress: Int64, rcvTotal: Int64)
  case rcvAborted
  case rcvComplete
  case rcvCancelled
  case rcvError(rcvFileError: FileError)
  case rcvWarning(rcvFileError: FileError)
  case invalid(text: String)
}

/// Why a transfer failed.
public indirect enum FileError: JSONCodable, Hashable, Sendable {
  case auth
  case blocked(server: String, blockInfo: BlockingInfo)
  case noFile
  case relay(srvError: SrvError)
  case other(fileError: String)
}
