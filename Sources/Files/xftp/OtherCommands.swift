import ArgumentParser
import FileAccess
import SimplexCrypto
import WireCodec
import XFTPClient
import XFTPProtocol

/// Deletes a file from its servers.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "del", abstract: "Delete a sent file from its servers.")

  @Argument(help: "Description of the sender: snd.xftp.private.")
  var description: String
  @Option(name: .shortAndLong, help: "Number of attempts for each command.")
  var retry = 3
  @Flag(name: .shortAndLong, help: "Accepted for compatibility; no effect.")
  var verbose = false
  @Flag(name: .shortAndLong, help: "Do not ask; delete the description when it was used.")
  var yes = false

  func run() async throws {
    let file = try XFTPCommand.description(description, for: .sender)
    let relays = try XFTPCommand.relays()
    var sender = FileSender(servers: [], recipients: 1, relays: relays)
    sender.attempts = max(1, retry)
    do { try await sender.delete(file) } catch { throw XFTPCommand.fail("\(error)") }
    await relays.close()
    print("File deleted!")
    try XFTPCommand.removeDescription(description, yes: yes)
  }
}

/// Prints a description.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "info", abstract: "Show a file description.")

  @Argument(help: "File description.")
  var description: String

  func run() throws {
    let file = try XFTPCommand.description(description)
    print(file.party == .recipient ? "Recipient file description" : "Sender file description")
    print("File download size: \(try FileSize.codec.text(file.size))")
    print("File server(s):")
    for (server, size) in file.sizesByServer { print("\(server): \(try FileSize.codec.text(size))") }
  }
}

/// Writes a file of random bytes.
struct RandomCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rand", abstract: "Write a file of random bytes, for tests.")

  @Argument(help: "Path of the file.")
  var file: String
  @Argument(help: "Size: bytes, or a number with kb, mb or gb.")
  var size: String

  func run() throws {
    guard var left = try? FileSize.codec.decode(text: size) else {
      throw ValidationError("\(size) is not a size such as 10mb")
    }
    var random = SystemRandom()
    let output = try FileDescriptor(file, .writing)
    while left > 0 {
      let part = random.bytes(Int(min(left, 1 << 20)))
      try part.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try output.write(bytes) }
      left -= Int64(part.count)
    }
    print("File created: \(file)")
  }
}
