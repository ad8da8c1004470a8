import FileAccess
import Foundation
import RemoteControlProtocol
import SimplexCrypto
import Testing

@testable import RemoteControl

@Suite struct FileTests {
  private func write(_ size: Int, to path: String) throws -> [UInt8] {
    var random = SystemRandom()
    let content = random.bytes(size)
    try WholeFile.replace(path, with: content)
    return content
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 50 << 20]) func filesArriveBothWays(size: Int) async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    let path = devices.folder + "/sent"
    let content = try write(size, to: path)
    let summary = try RemoteFileSummary(ofFile: path)
    let stored = try await devices.desk.send(
      .storeFile(name: "../a.bin", size: summary.size, digest: summary.digest), filePath: path)
    #expect(stored.response == .fileStored(path: "../a.bin"))
    #expect(try WholeFile.read(devices.folder + "/stored") == content)

    let reference = RemoteFileReference(userID: 1, fileID: 1, isSent: true, path: "stored")
    let received = try await devices.desk.send(.getFile(reference))
    #expect(received.response == .file(size: summary.size, digest: summary.digest))
    let receivedPath = try #require(received.filePath)
    #expect(try WholeFile.read(receivedPath) == content)
    #expect(try FileManager.default.attributesOfItem(atPath: receivedPath)[.posixPermissions] as? Int == 0o600)
    #expect(Folder.names(in: devices.folder + "/phone") == [])
    await devices.stop()
  }

  @Test func wrongDigestIsRefusedAndNothingIsLeft() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    let path = devices.folder + "/sent"
    _ = try write(100_000, to: path)
    let digest = try #require(FileDigest([UInt8](repeating: 1, count: 64)))
    await #expect(throws: RemoteRequestError.host(.fileDigest)) {
      try await devices.desk.send(.storeFile(name: "a", size: 100_000, digest: digest), filePath: path)
    }
    #expect(Folder.names(in: devices.folder + "/phone") == [])
    let response = try await devices.desk.send(.send(command: "next", retryNumber: 0)).response
    #expect(response == .chatResponse(.result(json: "{\"echo\":\"next\"}")))
    await devices.stop()
  }

  @Test func filesThatWereNotAskedForAreRefused() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    _ = try write(1_000, to: devices.folder + "/stored")
    await #expect(throws: RemoteRequestError.frame(.unexpectedResponse("file"))) {
      try await devices.desk.send(.send(command: "file", retryNumber: 0))
    }
    #expect(Folder.names(in: devices.folder + "/desk") == [])
    let response = try await devices.desk.send(.send(command: "next", retryNumber: 0)).response
    #expect(response == .chatResponse(.result(json: "{\"echo\":\"next\"}")))
    await devices.stop()
  }

  /// Files that block do not take the threads of everything else: their reads are pipes that nobody writes to.
  @Test func filesThatBlockDoNotStopCommands() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    let pipes = (0..<6).map { "\(devices.folder)/pipe\($0)" }
    for pipe in pipes { try #require(mkfifo(pipe, 0o600) == 0) }
    let summaries = pipes.map { pipe in Task { try await RemoteFileSummary.read(file: pipe) } }
    let path = devices.folder + "/sent"
    _ = try write(300_000, to: path)
    let summary = try await RemoteFileSummary.read(file: path)
    let stored = try await devices.desk.send(
      .storeFile(name: "a", size: summary.size, digest: summary.digest), filePath: path)
    #expect(stored.response == .fileStored(path: "a"))
    // The pipes end.
    for pipe in pipes { try FileHandle(forWritingTo: URL(filePath: pipe)).close() }
    for summary in summaries { #expect(try await summary.value.size == 0) }
    await devices.stop()
  }

  @Test func aCancelledSummaryEnds() async throws {
    let devices = try Devices()
    let path = devices.folder + "/large"
    try WholeFile.replace(path, with: [])
    // Without blocks on the disk.
    try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 3 << 30)
    let reading = Task { try await RemoteFileSummary.read(file: path) }
    reading.cancel()
    await #expect(throws: FrameError.self) { try await reading.value }
  }

  @Test func aMissingFileIsNotSent() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    let digest = try #require(FileDigest([UInt8](repeating: 1, count: 64)))
    await #expect(throws: RemoteRequestError.frame(.noFile)) {
      try await devices.desk.send(.storeFile(name: "a", size: 1, digest: digest))
    }
    let reference = RemoteFileReference(userID: 1, fileID: 1, isSent: true, path: "absent")
    #expect(try await devices.desk.send(.getFile(reference)).response == .chatResponse(.error(json: "{}")))
    await devices.stop()
  }
}
