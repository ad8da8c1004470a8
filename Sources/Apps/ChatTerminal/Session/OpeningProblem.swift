#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI
import FileAccess

/// Why databases cannot be opened, and what to do.
enum OpeningProblem {
  /// The sentence for a person.
  static func text(_ result: DBMigrationResult, prefix: String) -> String {
    let folder = folder(of: prefix)
    if access(folder, F_OK) != 0 {
      return
        "The databases cannot be opened: the folder \(folder) does not exist. Create it, or choose another with -d."
    }
    if case .errorSQL(_, let reason) = result, reason.hasPrefix("the database is open in another process") {
      return "The databases \(prefix)_chat.db and \(prefix)_agent.db are open in another program"
        + "\(LockHolder.note(of: prefix + ".lock")), such as another terminal. End it, or choose other databases with -d."
    }
    for file in ["\(prefix)_chat.db", "\(prefix)_agent.db", "\(prefix).lock"] where access(file, F_OK) == 0 {
      if access(file, R_OK | W_OK) != 0 {
        return "The databases cannot be opened: \(file) cannot be written. Check its owner and permissions."
      }
    }
    if access(folder, W_OK) != 0 {
      return "The databases cannot be opened: the folder \(folder) cannot be written. Choose another with -d."
    }
    return "The databases cannot be opened: \(result.text)"
  }

  private static func folder(of prefix: String) -> String {
    guard let slash = prefix.lastIndex(of: "/") else { return "." }
    return slash == prefix.startIndex ? "/" : String(prefix[..<slash])
  }
}
