import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Paths as people type them in commands.
enum Paths {
  /// Commands with a chat before a path.
  private static let sending = ["/f ", "/file ", "/img ", "/image "]
  /// Commands with the id of a file before a path.
  private static let receiving = ["/fr ", "/freceive "]

  /// Splits the beginning of a command before the path that it ends with; nil where none is expected there.
  static func split(_ line: String) -> (head: Substring, path: Substring)? {
    let rest: Substring
    if let command = sending.first(where: { line.hasPrefix($0) }) {
      let named = line.dropFirst(command.count)
      guard let sign = named.first, "@#*".contains(sign) else { return nil }
      if sign == "*" {
        rest = named.dropFirst()
      } else {
        guard let name = ChatTarget.name(named.dropFirst()) else { return nil }
        rest = name.rest
      }
    } else if let command = receiving.first(where: { line.hasPrefix($0) }) {
      let numbered = line.dropFirst(command.count)
      rest = numbered.drop { $0.isNumber }
      guard rest.startIndex > numbered.startIndex else { return nil }
    } else {
      return nil
    }
    guard rest.first == " " else { return nil }
    let path = rest.dropFirst()
    return (line[..<path.startIndex], path)
  }

  /// The path with the folder of the user in place of `~/`.
  static func expanded(_ path: String, home: String? = ProcessInfo.processInfo.environment["HOME"]) -> String {
    guard path.hasPrefix("~/"), let home, !home.isEmpty else { return path }
    return home + path.dropFirst()
  }

  /// Whether the user has the folder into which the core puts received files.
  static var hasDownloads: Bool {
    let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
    return !home.isEmpty && FileManager.default.fileExists(atPath: home + "/Downloads/.")
  }

  /// The files and folders whose path begins so, as it was typed; folders with `/` at the end. Hidden ones are for
  /// those who type the point.
  static func candidates(_ path: String) -> [String] {
    let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let (folder, name) = (String(path[..<nameStart]), path[nameStart...])
    let entries = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : expanded(folder))
    return (entries ?? []).filter { $0.hasPrefix(name) && ($0.first != "." || name.first == ".") }
      .map { entry in
        let path = folder + entry
        return path + (FileManager.default.fileExists(atPath: expanded(path) + "/.") ? "/" : "")
      }
  }
}

extension ChatCommand {
  /// The command with the folder of the user in place of `~/` in the path of a file.
  var withHome: ChatCommand {
    switch self {
    case .terminal(.sendFile(let chat, var file)):
      file.filePath = Paths.expanded(file.filePath)
      return .terminal(.sendFile(chat: chat, file: file))
    case .terminal(.sendImage(let chat, var file)):
      file.filePath = Paths.expanded(file.filePath)
      return .terminal(.sendImage(chat: chat, file: file))
    case .receiveFile(let id, let isApproved, let encrypted, let inline, let path):
      return .receiveFile(
        fileId: id, userApprovedRelays: isApproved, encrypted: encrypted, inline: inline,
        filePath: path.map { Paths.expanded($0) })
    default: return self
    }
  }
}
