import ArgumentParser
import FileAccess
import ProgramSupport
import SMPProtocol
import Synchronization
import WireCodec
import XFTPClient
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `xftp send | recv | del | info | rand`.
@main
struct XFTPCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "xftp", abstract: "Send and receive files over XFTP servers.",
    version: ProgramVersion.text(
      of: "XFTP client",
      compatibleWith:
        "versions \(XFTPVersion.supported.lowest) to \(XFTPVersion.supported.highest) of the XFTP protocol"),
    subcommands: [SendCommand.self, ReceiveCommand.self, DeleteCommand.self, InfoCommand.self, RandomCommand.self])

  static func main() async {
    // Descriptions and received files are accessible to their user only.
    umask(0o077)
    CoreDumps.forbid()
    let signals = StopSignals()
    let command = Task { await main(Array(CommandLine.arguments.dropFirst())) }
    Task {
      let signal = await signals.wait()
      command.cancel()
      // A connection that is being established does not end at once.
      try? await Task.sleep(for: .seconds(1))
      WorkFolder.removeAll()
      _exit(128 + signal)
    }
    await command.value
  }

  /// The connections of a command.
  /// - Throws: where the process may not open as many files as they need.
  static func relays() throws -> FileRelays {
    _ = OpenFileLimit.raise()
    if let shortage = OpenFileLimit.shortage { throw fail(shortage) }
    return FileRelays()
  }

  static func fail(_ text: String) -> TransferFailure { TransferFailure(description: text) }

  /// The description in a file.
  static func description(_ path: String, for party: FileParty) throws -> FileDescription {
    let description = try description(path)
    guard description.party == party else {
      throw fail("\(path) is a description for the \(description.party), not for the \(party)")
    }
    return description
  }

  /// The description of either party in a file.
  static func description(_ path: String) throws -> FileDescription {
    do {
      return try FileDescription.codec.decode(WholeFile.read(path, limit: 16 << 20))
    } catch let error as WireError {
      throw fail("\(path) is not a file description: \(error)")
    } catch {
      throw fail("\(error)")
    }
  }

  /// Deletes a description that cannot be used again; asks before, unless `yes`.
  static func removeDescription(_ path: String, yes: Bool) throws {
    if !yes {
      print("File description \(path) can't be used again. Delete it (Y/n):", terminator: " ")
      fflush(nil)
      guard ["", "y", "yes"].contains(readLine()?.lowercased() ?? "n") else { return }
    }
    try WholeFile.remove(path)
    print("File description \(path) is deleted.")
  }
}

/// Why a command failed; printed after "Error:".
struct TransferFailure: Error, CustomStringConvertible {
  let description: String
}

/// A line that shows how much of a file was transferred.
enum Progress {
  /// Replaces the line; nothing where the output is not a terminal.
  static func show(_ text: String) {
    guard isatty(STDOUT_FILENO) == 1 else { return }
    print("\r\(text)\(String(repeating: " ", count: max(0, 25 - text.count)))", terminator: "")
    fflush(nil)
  }

  /// A function that shows the percentage of `total`.
  static func percentage(_ text: String, of total: Int64) -> @Sendable (Int64) -> Void {
    { show("\(text) \(total > 0 ? $0 * 100 / total : 100)%") }
  }
}

/// A folder for one transfer.
struct WorkFolder {
  /// Those that are in use.
  private static let inUse = Mutex<Set<String>>([])
  /// What removes the unfinished files outside of them.
  private static let removals = Mutex<[@Sendable () -> Void]>([])

  let path: String

  /// Creates a folder in the given one, or in the system's folder for temporary files.
  init(in parent: String?) throws {
    let system = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent ?? system)/xftp.XXXXXX".utf8CString)
    guard let made = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) else {
      throw XFTPCommand.fail("\(parent ?? system): \(String(cString: strerror(errno)))")
    }
    let path = String(cString: made)
    self.path = path
    Self.inUse.withLock { _ = $0.insert(path) }
  }

  /// Removes the folder with its files.
  func remove() {
    Self.remove(path)
    Self.inUse.withLock { _ = $0.remove(path) }
  }

  /// Removes something outside of the folders as well if the program is interrupted. What is finished by then has to
  /// stay.
  static func whenInterrupted(_ removal: @escaping @Sendable () -> Void) {
    removals.withLock { $0.append(removal) }
  }

  /// Removes the folders that are in use, and what is unfinished outside of them, for a program that ends now.
  static func removeAll() {
    for path in inUse.withLock({ $0 }) { remove(path) }
    for removal in removals.withLock({ $0 }) { removal() }
  }

  private static func remove(_ path: String) {
    for name in Folder.names(in: path) ?? [] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
