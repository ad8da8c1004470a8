import SMPServerCore

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
