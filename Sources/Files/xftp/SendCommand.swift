import ArgumentParser
import FileAccess
import SMPProtocol
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

/// Encrypts and uploads a file, and writes the descriptions.
struct SendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "send", abstract: "Send a file.")

  @Argument(help: "File to send.")
  var file: String
  @Argument(help: "Folder for the file descriptions (default: current folder).")
  var folder: String?
  @Option(name: .customShort("n"), help: "Number of recipients.")
  var recipients = 1
  @Option(
    name: .shortAndLong,
    help: "XFTP servers to use, separated by semicolons or spaces. (default: $SIMPLEX_XFTP_SERVERS, or the preset ones)"
  )
  var servers: String?
  @Option(
    name: .long,
    help: .init(
      "File with addresses of XFTP servers to use: all users of this machine can see passwords in --servers.",
      valueName: "path"))
  var serversFile: String?
  @Option(name: .shortAndLong, help: "Number of attempts for each command.")
  var retry = 3
  @Option(name: .long, help: "Folder for the temporary encrypted file.")
  var tmp: String?
  @Flag(name: .shortAndLong, help: "Accepted for compatibility; no effect.")
  var verbose = false

  func validate() throws {
    guard (1...10_000).contains(recipients) else { throw ValidationError("-n must be a number from 1 to 10000") }
    guard servers == nil || serversFile == nil else {
      throw ValidationError("--servers and --servers-file exclude each other")
    }
    guard retry > 0 else { throw ValidationError("--retry must be at least 1") }
    _ = try addresses()
  }

  private func addresses() throws -> [ServerWithAuth<XFTPScheme>] {
    if let serversFile { return try addresses(in: serversFile) }
    let variable = "SIMPLEX_XFTP_SERVERS"
    guard let list = servers ?? getenv(variable).map({ String(cString: $0) }) else { return XFTPPresets.servers }
    let addresses = try list.split(whereSeparator: { $0 == ";" || $0.isWhitespace }).map { text in
      do { return try ServerWithAuth<XFTPScheme>.textCodec.decode(text: String(text)) } catch {
        let source = servers == nil ? "\(variable): " : ""
        throw ValidationError("\(source)\(text) is not the address of an XFTP server, such as xftp://FINGERPRINT@HOST")
      }
    }
    // A variable without addresses is as good as none.
    return servers == nil && addresses.isEmpty ? XFTPPresets.servers : addresses
  }

  /// The addresses in a file, separated by white space or semicolons. Errors do not repeat them: they have passwords.
  private func addresses(in file: String) throws -> [ServerWithAuth<XFTPScheme>] {
    let text: String?
    do throws(FileError) { text = try WholeFile.text(file) } catch { throw ValidationError("\(error)") }
    guard let words = text?.split(whereSeparator: { $0.isWhitespace || $0 == ";" }), !words.isEmpty else {
      throw ValidationError("\(file) has no addresses of XFTP servers")
    }
    return try words.enumerated().map { index, word in
      do { return try ServerWithAuth<XFTPScheme>.textCodec.decode(text: String(word)) } catch {
        throw ValidationError("address \(index + 1) in \(file) is not the address of an XFTP server")
      }
    }
  }

  func run() async throws {
    let name = String(file.split(separator: "/").last ?? "")
    // Before the file is sent: without a place, the descriptions would be lost.
    let descriptionFolder = ReceivedName.path(in: folder ?? ".", for: name + ".xftp")
    let work = try WorkFolder(in: tmp)
    defer { work.remove() }
    WorkFolder.whenInterrupted { Folder.removeIfEmpty(descriptionFolder) }
    let relays = try XFTPCommand.relays()
    let descriptions: FileSender.Descriptions
    do {
      Progress.show("Encrypting file...")
      let sealed = try SealedFile.seal(
        file, name: name, into: work.path + "/encrypted", isStopped: { Task.isCancelled })
      do throws(FileError) { try Folder.create(descriptionFolder) } catch { throw FileTransferError.file(error) }
      Progress.show("Uploading file...")
      var sender = FileSender(servers: try addresses(), recipients: recipients, relays: relays)
      sender.attempts = retry
      descriptions = try await sender.send(sealed, progress: Progress.percentage("Uploaded", of: sealed.size))
    } catch let error as FileTransferError {
      // It would be in the way of the next attempt.
      Folder.removeIfEmpty(descriptionFolder)
      throw XFTPCommand.fail("\(error)")
    }
    await relays.close()
    Progress.show("File uploaded!")
    try write(descriptions, into: descriptionFolder)
  }

  private func write(_ descriptions: FileSender.Descriptions, into folder: String) throws {
    let senderPath = folder + "/snd.xftp.private"
    try WholeFile.replace(senderPath, with: descriptions.sender.text.utf8)
    print("\nSender file description: \(senderPath)")
    print("Pass file descriptions to the recipient(s):")
    for (index, description) in descriptions.recipients.enumerated() {
      let path = "\(folder)/rcv\(index + 1).xftp"
      try WholeFile.replace(path, with: description.text.utf8)
      print(path)
    }
    if let first = descriptions.recipients.first, let link = try FileWebLink.link(of: first) {
      print("\nWeb link:\n\(link)")
    }
  }
}
