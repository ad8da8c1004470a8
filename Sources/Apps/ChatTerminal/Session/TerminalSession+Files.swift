import ChatAPI
import FileAccess

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TerminalSession {
  /// The command with the folder for received files, where a person names none and the core has none that they expect.
  func placed(_ command: ChatCommand) -> ChatCommand {
    guard input.isInteractive, let folder = options.receivedFolder,
      case .receiveFile(let id, let isApproved, let encrypted, let inline, nil) = command
    else { return command }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return .receiveFile(
      fileId: id, userApprovedRelays: isApproved, encrypted: encrypted, inline: inline, filePath: folder + "/")
  }

  /// Whether a person's command about a file is not performed, because of what is at its path. Says so.
  func refusesFile(of command: ChatCommand) -> Bool {
    guard input.isInteractive, let problem = Paths.problem(of: command) else { return false }
    input.show([problem])
    return true
  }
}

extension Paths {
  /// Why the file of a command cannot be sent, or received at its path; nil where that is not known.
  static func problem(of command: ChatCommand) -> StyledText? {
    switch command {
    case .terminal(.sendFile(_, let file)), .terminal(.sendImage(_, let file)): sendingProblem(file.filePath)
    case .receiveFile(_, _, _, _, let path?): receivingProblem(path)
    default: nil
    }
  }

  private static func sendingProblem(_ path: String) -> StyledText? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    if isFolder(path) {
      return "\(StyledText(path)) is a folder, and only files can be sent: pack it into one, such as a zip archive."
    }
    guard FileManager.default.isReadableFile(atPath: path) else {
      return "\(StyledText(path)) cannot be read: check its owner and permissions."
    }
    return PathStatus.size(of: path) == 0 ? "\(StyledText(path)) is empty: there is nothing to send." : nil
  }

  private static func receivingProblem(_ path: String) -> StyledText? {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    if isFolder(folder) { return nil }
    return FileManager.default.fileExists(atPath: String(folder.dropLast()))
      ? "\(StyledText(folder)) is not a folder."
      : "The folder \(StyledText(folder)) does not exist: create it, or name another one."
  }

  private static func isFolder(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/.") }
}
