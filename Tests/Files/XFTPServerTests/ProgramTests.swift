import Foundation
import SMPProtocol
import SimplexTesting
import Testing
import WireCodec
import XFTPProtocol

/// The built programs `xftp-server` and `xftp`, with folders of their own.
private struct Programs {
  struct Failed: Error {
    let output: String
  }

  let folder: String
  private let products: URL

  init(_ folder: TemporaryFolder) {
    self.folder = folder.path
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
    products = bundle ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  }

  private func process(_ program: String, _ arguments: [String], _ output: Pipe) -> Process {
    let process = Process()
    process.executableURL = products.appending(path: program)
    process.arguments = arguments
    process.environment = [
      "XFTP_SERVER_CFG_PATH": folder + "/config", "XFTP_SERVER_LOG_PATH": folder + "/data", "HOME": folder,
      "TMPDIR": folder,
    ]
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardOutput = output
    process.standardError = output
    return process
  }

  /// Starts a program, whose output is dropped.
  func begin(_ program: String, _ arguments: String...) throws -> Process {
    let process = process(program, arguments, Pipe())
    try process.run()
    return process
  }

  @discardableResult
  func run(_ program: String, _ arguments: String..., fails: Bool = false) throws -> String {
    let output = Pipe()
    let process = process(program, arguments, output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard (process.terminationStatus != 0) == fails else { throw Failed(output: text) }
    return text
  }

  /// Starts the server; returns it with its port and its address.
  func start(notifySocket: String? = nil) throws -> (process: Process, address: String) {
    let output = Pipe()
    let process = process("xftp-server", ["start"], output)
    process.environment?["NOTIFY_SOCKET"] = notifySocket
    try process.run()
    var text = ""
    while !text.contains("Listening on") || !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw Failed(output: text) }
      text += String(decoding: data, as: UTF8.self)
    }
    guard let address = text.firstMatch(of: /xftp:\/\/\S+/) else { throw Failed(output: text) }
    return (process, String(address.0))
  }
}

@Suite("The programs xftp-server and xftp", .serialized)
struct ProgramTests {
  /// The program tells its service manager when clients can connect, and when it stops.
  @Test(.timeLimit(.minutes(2))) func theServerTellsItsState() throws {
    let folder = try TemporaryFolder()
    let programs = Programs(folder)
    try programs.run(
      "xftp-server", "init", "-p", folder.path + "/files", "-q", "100mb", "--ip", "127.0.0.1", "--port", "0")
    let socket = try NotifySocket("/tmp/notify-\(UUID().uuidString.prefix(8))")
    let (server, _) = try programs.start(notifySocket: socket.name)
    defer { server.terminate() }
    #expect(try socket.next() == "READY=1")
    kill(server.processIdentifier, SIGHUP)
    #expect(try socket.next().hasPrefix("RELOADING=1\n"))
    #expect(try socket.next() == "READY=1")
    server.terminate()
    #expect(try socket.next() == "STOPPING=1")
    server.waitUntilExit()
    #expect(server.terminationStatus == 0)
  }

  /// A folder that is named from the current one is the same wherever the server is started.
  @Test func foldersAreStoredFromTheRoot() throws {
    let folder = try TemporaryFolder()
    try Programs(folder).run("xftp-server", "init", "-p", "files", "-q", "100mb", "--ip", "127.0.0.1")
    let settings = try String(contentsOfFile: folder.path + "/config/file-server.ini", encoding: .utf8)
    #expect(settings.contains("\npath = /") && settings.contains("/files\n"))
  }

  @Test func sendReceiveAndDelete() throws {
    let folder = try TemporaryFolder()
    let programs = Programs(folder)
    let greeting = try programs.run(
      "xftp-server", "init", "-p", folder.path + "/files", "-q", "100mb", "--ip", "127.0.0.1", "--port", "0")
    #expect(greeting.contains("Server address: xftp://"))
    #expect(
      try programs.run("xftp-server", "init", "-p", "x", "-q", "1gb", fails: true).contains("already initialized"))
    let (server, address) = try programs.start()
    defer { server.terminate() }
    #expect(try programs.run("xftp-server", "delete", "-y", fails: true).contains("the server is running"))
    // It reads its settings again, and does not end.
    kill(server.processIdentifier, SIGHUP)
    try programs.run("xftp", "rand", "sent.bin", "5mb")
    let sent = try programs.run("xftp", "send", "sent.bin", "-n", "3", "-s", address)
    #expect(sent.contains("rcv2.xftp") && sent.contains("https://127.0.0.1/#"))
    let description = "sent.bin.xftp/rcv1.xftp"
    let info = try programs.run("xftp", "info", description)
    #expect(info.contains("Recipient file description") && info.contains("File download size: 6mb"))
    let received = try programs.run("xftp", "recv", description, "got.bin", "-y")
    #expect(received.contains("File downloaded: got.bin") && received.contains("is deleted"))
    let original = try Data(contentsOf: URL(filePath: folder.path + "/sent.bin"))
    #expect(try Data(contentsOf: URL(filePath: folder.path + "/got.bin")) == original)
    // The other recipient uses the text in a link.
    let text = try String(contentsOfFile: folder.path + "/sent.bin.xftp/rcv2.xftp", encoding: .utf8)
    let link = try FileDescriptionURI.codec.text(
      FileDescriptionURI(description: FileDescription(text: text, party: .recipient)))
    #expect(try programs.run("xftp", "recv", link).contains("File downloaded: \(folder.path)/Downloads/sent.bin"))
    #expect(try Data(contentsOf: URL(filePath: folder.path + "/Downloads/sent.bin")) == original)
    #expect(try programs.run("xftp", "recv", link, fails: true).contains("AUTH"))
    // The third uses a link for browsers.
    let last = try String(contentsOfFile: folder.path + "/sent.bin.xftp/rcv3.xftp", encoding: .utf8)
    let webLink = try #require(try FileWebLink.link(of: FileDescription(text: last, party: .recipient)))
    #expect(webLink.hasPrefix("https://127.0.0.1/#"))
    #expect(try programs.run("xftp", "recv", webLink, "web.bin").contains("File downloaded: web.bin"))
    #expect(try Data(contentsOf: URL(filePath: folder.path + "/web.bin")) == original)
    try programs.run("xftp", "del", "sent.bin.xftp/snd.xftp.private", "-y")
    #expect(folder.files("files").isEmpty)
    server.terminate()
    server.waitUntilExit()
    #expect(server.terminationStatus == 0)
    // What cannot be sent leaves no folder for descriptions.
    let folders = folder.files("").filter { $0.hasSuffix(".xftp") }
    try programs.run("xftp", "send", "sent.bin", "-r", "1", "-s", address, fails: true)
    #expect(folder.files("").filter { $0.hasSuffix(".xftp") } == folders)
    try programs.run("xftp-server", "cert")
    try programs.run("xftp-server", "delete", "-y")
    #expect(folder.files("config").isEmpty && folder.files("data").isEmpty && folder.files("files").isEmpty)
    #expect(folder.files("").allSatisfy { !$0.hasPrefix("xftp.") })
  }

  /// A program that is interrupted leaves neither an encrypted copy nor an empty folder for descriptions.
  @Test(.timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM])
  func interruptedProgramsLeaveNothing(_ signal: Int32) async throws {
    let folder = try TemporaryFolder()
    let programs = Programs(folder)
    let silent = try SilentListener()
    try programs.run("xftp", "rand", "sent.bin", "1mb")
    let address = try RelayAddress(
      TransportHost.textCodec.decode(text: "127.0.0.1"), port: silent.port,
      keyHash: [UInt8](repeating: 1, count: 32)
    ).description
    let process = try programs.begin("xftp", "send", "sent.bin", "-s", address)
    // Encrypted, and waiting for the server.
    while !folder.files("").contains("sent.bin.xftp") { try await Task.sleep(for: .milliseconds(5)) }
    kill(process.processIdentifier, signal)
    while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    #expect(process.terminationStatus != 0)
    #expect(folder.files("") == ["sent.bin"])
  }

  @Test func aKilledServerKeepsWhatItConfirmed() throws {
    let folder = try TemporaryFolder()
    let programs = Programs(folder)
    try programs.run("xftp-server", "init", "-p", folder.path + "/files", "-q", "100mb", "--port", "0")
    let (server, address) = try programs.start()
    try programs.run("xftp", "rand", "sent.bin", "2mb")
    try programs.run("xftp", "send", "sent.bin", "-s", address)
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
    let (again, newAddress) = try programs.start()
    defer { again.terminate() }
    // The system chose another port.
    let path = folder.path + "/sent.bin.xftp/rcv1.xftp"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try Data(text.replacing(address, with: newAddress).utf8).write(to: URL(filePath: path))
    // A folder that does not exist yet.
    try programs.run("xftp", "recv", path, "new/got/", "-y")
    let original = try Data(contentsOf: URL(filePath: folder.path + "/sent.bin"))
    #expect(try Data(contentsOf: URL(filePath: folder.path + "/new/got/sent.bin")) == original)
  }
}

@Suite("Backups of xftp-server", .serialized, .timeLimit(.minutes(5)))
struct FileBackupTests {
  /// A backup of a running relay has the files that were uploaded before, also while others are uploaded and deleted,
  /// and can be started elsewhere.
  @Test func aBackupOfARunningRelayUnderLoad() async throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let (programs, copies) = (Programs(folder), Programs(other))
    try programs.run(
      "xftp-server", "init", "-y", "-p", folder.path + "/files", "-q", "1gb", "--ip", "127.0.0.1", "--port", "0")
    let (server, address) = try programs.start()
    defer { server.terminate() }
    try programs.run("xftp", "rand", "kept.bin", "2mb")
    try programs.run("xftp", "send", "kept.bin", "-s", address)
    let uploading = Thread {
      for number in 0..<200 where !Thread.current.isCancelled {
        _ = try? programs.run("xftp", "rand", "other-\(number).bin", "100kb")
        _ = try? programs.run("xftp", "send", "other-\(number).bin", "-s", address)
        _ = try? programs.run("xftp", "del", "other-\(number).bin.xftp/snd.xftp.private", "-y")
      }
    }
    uploading.start()
    defer { uploading.cancel() }
    for number in 0..<4 {
      let text = try programs.run("xftp-server", "backup", "backup-\(number)")
      #expect(text.contains(/Copied \d+ parts of files/), "\(text)")
    }
    uploading.cancel()
    let path = folder.path + "/backup-3"
    let ini = path + "/configuration/file-server.ini"
    let settings = try String(contentsOfFile: ini, encoding: .utf8)
    #expect(try copies.run("xftp-server", "restore", path, fails: true).contains("/files has parts of files"))
    try settings.replacing(folder.path + "/files", with: other.path + "/files")
      .write(toFile: ini, atomically: true, encoding: .utf8)
    try copies.run("xftp-server", "restore", path)
    let (restored, newAddress) = try copies.start()
    defer { restored.terminate() }
    // Every file of the copy is one that its database knows.
    #expect(!FileManager.default.fileExists(atPath: other.path + "/files/unknown"))
    let text = try String(contentsOfFile: folder.path + "/kept.bin.xftp/rcv1.xftp", encoding: .utf8)
    try text.replacing(address, with: newAddress)
      .write(toFile: other.path + "/rcv.xftp", atomically: true, encoding: .utf8)
    try copies.run("xftp", "recv", "rcv.xftp", "got.bin", "-y")
    #expect(
      try Data(contentsOf: URL(filePath: other.path + "/got.bin"))
        == Data(contentsOf: URL(filePath: folder.path + "/kept.bin")))
    // The original still has it.
    try programs.run("xftp", "recv", "kept.bin.xftp/rcv1.xftp", "got.bin", "-y")
  }

  /// What was moved aside goes with everything else.
  @Test func aDeletionRemovesWhatWasSetAside() throws {
    let folder = try TemporaryFolder()
    let programs = Programs(folder)
    try programs.run(
      "xftp-server", "init", "-p", folder.path + "/files", "-q", "1gb", "--ip", "127.0.0.1", "--port", "0")
    let name = Base64URL.string([UInt8](repeating: 1, count: 16))
    for aside in ["unknown", "not-imported"] {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/files/" + aside, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: URL(filePath: "\(folder.path)/files/\(aside)/\(name)"))
    }
    try programs.run("xftp-server", "delete", "-y")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/files"))
  }
}
