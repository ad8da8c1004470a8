import ChatAPI
import FileAccess

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `/db export`, whose response does not say where the archive is.
extension ChatCommand {
  /// The command with the path of the archive, where the core would choose a name in the current folder.
  func namingArchive(at time: Date = .now) -> ChatCommand {
    guard case .terminal(.exportArchive) = self else { return self }
    let name = "simplex-chat.\(time.formatted(.iso8601).replacing(":", with: "")).zip"
    return .apiExportArchive(config: ArchiveConfig(archivePath: RealPath(name).text))
  }

  /// A line with the path of the archive that a result is about; nil for results of other commands.
  func archiveLine(_ result: APIResult<ChatResponse>) -> StyledText? {
    guard case .apiExportArchive(let config) = self, case .result(.response2(.archiveExported)) = result else {
      return nil
    }
    return StyledText("archive: \(RealPath(config.archivePath).text)")
  }
}
