import ArgumentParser
import FileAccess
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

/// Downloads and decrypts a file.
struct ReceiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "recv", abstract: "Receive a file.")

  @Argument(help: "File description, or a link with one.")
  var description: String
  @Argument(help: "Folder, ending with / where it is made, or path for the file (default: Downloads).")
  var destination: String?
  @Option(name: .shortAndLong, help: "Number of attempts for each command.")
  var retry = 3
  @Option(name: .long, help: "Folder for temporary encrypted files.")
  var tmp: String?
  @Flag(name: .shortAndLong, help: "Accepted for compatibility; no effect.")
  var verbose = false
  @Flag(name: .shortAndLong, help: "Do not ask; delete the description when it was used.")
  var yes = false

  func validate() throws {
    guard retry > 0 else { throw ValidationError("--retry must be at least 1") }
  }

  private var isLink: Bool {
    ["https://", "http://", "simplex:/"].contains { description.hasPrefix($0) }
  }

  func run() async throws {
    let relays = try XFTPCommand.relays()
    let path: String
    do { path = try await receive(try readDescription(), mayRedirect: true, relays) } catch let error
      as FileTransferError
    {
      throw XFTPCommand.fail("\(error)")
    }
    await relays.close()
    Progress.show("")
    print("File downloaded: \(path)")
    if !isLink { try XFTPCommand.removeDescription(description, yes: yes) }
  }

  private func readDescription() throws -> FileDescription {
    guard isLink else { return try XFTPCommand.description(description, for: .recipient) }
    if let uri = try? FileDescriptionURI.codec.decode(text: description) { return uri.description }
    do { return try FileWebLink.description(link: description) } catch {
      throw XFTPCommand.fail("the link has no file description: \(error)")
    }
  }

  /// Receives a file; one that only leads to another file is followed once.
  private func receive(
    _ description: FileDescription, mayRedirect: Bool, _ relays: FileRelays
  ) async throws -> String {
    let work = try WorkFolder(in: tmp)
    defer { work.remove() }
    var receiver = FileReceiver(relays: relays)
    receiver.attempts = retry
    Progress.show("Downloading file...")
    let chunks = try await receiver.download(
      description, into: work.path, progress: Progress.percentage("Downloaded", of: description.size))
    Progress.show("Decrypting file...")
    guard let redirect = description.redirect else {
      let path = try receiver.open(
        chunks, of: description, isStopped: { Task.isCancelled },
        willWrite: { draft in WorkFolder.whenInterrupted { unlink(draft) } }
      ) { name throws(FileTransferError) in try place(for: name) }
      // The file is here, so a relay that does not answer any more is no failure.
      try? await receiver.acknowledge(description)
      return path
    }
    guard mayRedirect else { throw XFTPCommand.fail("the description leads to a second one") }
    let path = try receiver.open(chunks, of: description) { _ in work.path + "/description" }
    let target = try XFTPCommand.description(path, for: .recipient)
    guard target.size == redirect.size, target.digest == redirect.digest else {
      throw XFTPCommand.fail("the description leads to another file than it says")
    }
    return try await receive(target, mayRedirect: false, relays)
  }

  private func place(for name: String) throws(FileTransferError) -> String {
    guard var folder = destination else {
      let home = getenv("HOME").map { String(cString: $0) } ?? "."
      return try place(for: name, inNew: home + "/Downloads")
    }
    let isFolder = folder.hasSuffix("/")
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    var status = stat()
    guard stat(folder, &status) == 0 else { return isFolder ? try place(for: name, inNew: folder) : folder }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .file(FileError(.open, folder, code: EEXIST)) }
    return ReceivedName.path(in: folder, for: name)
  }

  private func place(for name: String, inNew folder: String) throws(FileTransferError) -> String {
    do throws(FileError) { try Folder.create(folder) } catch { throw .file(error) }
    return ReceivedName.path(in: folder, for: name)
  }
}
