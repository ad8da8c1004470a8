extension ChatError {
  /// The family of the error and the variant in it, for example `error invalidDisplayName`.
  public var errorType: String {
    switch self {
    case .error(let error): "error \(variant(of: error))"
    case .errorAgent(let error, _, _): "errorAgent \(variant(of: error))"
    case .errorStore(let error): "errorStore \(variant(of: error))"
    case .errorDatabase(let error): "errorDatabase \(variant(of: error))"
    case .errorRemoteCtrl(let error): "errorRemoteCtrl \(variant(of: error))"
    case .errorRemoteHost(_, let error): "errorRemoteHost \(variant(of: error))"
    case .invalidJSON: "invalidJSON"
    case .unexpectedResult(let type): "unexpectedResult \(type)"
    }
  }
}

/// The name of an error's case.
private func variant(of error: some Error) -> String {
  String(String(describing: error).prefix { $0 != "(" })
}
