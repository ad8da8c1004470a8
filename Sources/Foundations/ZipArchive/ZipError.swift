/// Why an archive cannot be read or written.
public enum ZipError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file cannot be opened, read or written.
  case file(path: String, reason: String)
  /// The archive is not one, or damaged.
  case damaged(String)
  /// What the archive uses is not supported.
  case unsupported(String)

  /// The reason in words.
  public var description: String {
    switch self {
    case .file(let path, let reason): "\(path): \(reason)"
    case .damaged(let what): "damaged archive: \(what)"
    case .unsupported(let what): "unsupported archive: \(what)"
    }
  }
}
