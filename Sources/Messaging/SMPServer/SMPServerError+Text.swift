import SMPServerCore
import SimplexTransport

extension SMPServerError: CustomStringConvertible {
  /// What is wrong and what to do, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .noCertificate: "there is no certificate; smp-server init creates one"
    case .store(let failure): failure.sentence
    case .transport(.system(let operation, let code)):
      "cannot listen: \(TransportError.system(operation: operation, code: code)); "
        + "another program may use the port, or ports below 1024 are not allowed"
    case .transport(let error): "cannot listen: \(error)"
    case .configuration(let text): text
    case .file(let text): text
    }
  }
}

extension StoreFailure {
  /// What is wrong with the store and what to do, as a sentence without a full stop.
  public var sentence: String {
    switch self {
    case .full: "no space is left on the disk"
    case .damaged: "the file is damaged or not a database of this server"
    case .newerSchema(let found, let known):
      "it was written by a newer version of the server (schema \(found), this one knows \(known)); install that version"
    case .unavailable: "another process uses it; a server may be running already"
    case .other(let text): text
    }
  }
}
