/// The device that executes a command which is given at a desktop for its mobile device. Source: the reference
/// keeps the same commands local; it refuses none at the mobile device.
public enum RemoteUse: Hashable, Sendable {
  /// At the mobile device.
  case passedOn
  /// Nowhere: desktops pass it on as the reference does, and mobile devices refuse it, because it changes where their
  /// files are, tries passphrases or settings of their network.
  case refused
  /// At neither: it is about the device on which it is given, so desktops do not pass it on, and mobile devices refuse
  /// it.
  case local
}

extension ChatCommand {
  /// The device that executes the command if it is given for a mobile device; part of the command's declaration.
  public var remoteUse: RemoteUse {
    if case .string(let text) = self { return (try? ChatCommand(parsing: text))?.remoteUse ?? .passedOn }
    return Self.grammar.write(self)?.syntax.remoteUse ?? .local
  }

  /// The paths of files that the command names on the device that executes it, as they stand.
  public var localPaths: [String] {
    switch self {
    case .apiSendMessages(_, _, _, _, _, _, _, let messages), .apiCreateChatItems(_, let messages):
      messages.compactMap(\.fileSource?.filePath)
    case .receiveFile(_, _, _, _, let path): [path].compactMap { $0 }
    case .apiUploadStandaloneFile(_, let file), .apiDownloadStandaloneFile(_, _, let file): [file.filePath]
    case .terminal(.sendFile(_, let file)), .terminal(.sendImage(_, let file)): [file.filePath]
    case .terminal(.sendFileDescription(_, let path)): [path]
    default: []
    }
  }
}
