import FileAccess
import SMPProtocol
import XFTPProtocol

/// Why a file was not sent or received.
public enum FileTransferError: Error, Hashable, Sendable {
  /// A local file failed.
  case file(FileError)
  /// The file is larger than allowed, in bytes.
  case tooLarge(limit: Int64)
  /// The name of the file is longer than 255 bytes.
  case name
  /// A relay failed; the last error, after all attempts.
  case relay(XFTPServer, FileClientError)
  /// There is no relay to use, or a chunk without one.
  case noServer
  /// The encrypted form has another digest than the description says.
  case digest
  /// The encrypted form cannot be decrypted, or its content makes no sense.
  case damaged(String)
  /// The caller has given up.
  case stopped
}

extension FileTransferError: CustomStringConvertible {
  /// What went wrong, as a phrase.
  public var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .tooLarge(let limit): "files larger than \((try? FileSize.codec.text(limit)) ?? "") are not supported"
    case .name: "the name of the file is too long"
    case .relay(let server, let error): "\(server.hosts.first?.description ?? ""): \(error)"
    case .noServer: "there is no server for a part of the file"
    case .digest: "the file is damaged: it has another digest"
    case .stopped: "it was stopped"
    case .damaged(let text): "the file is damaged: \(text)"
    }
  }
}
