import FileAccess
import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SimplexJSON
import Testing

@testable import RemoteControl

/// Frames of a hostile controller: each is answered with its error, and the session goes on.
@Suite struct HostileFrameTests {
  private static let command = RemoteCommand.send(command: "c", retryNumber: 0).jsonBytes()

  /// Sends the bytes of a request, and returns the error of the answer.
  private func error(of bytes: [UInt8], _ requests: ControllerRequests) async throws -> FrameError? {
    let stream = try await requests.connection.request(method: "POST")
    defer { stream.reset() }
    // The host may answer before it has read everything.
    try? await stream.send(bytes, isLast: true)
    let head = try await stream.head()
    #expect(head.status == 200)
    let answer = try await requests.frames.receive(on: stream)
    guard case .protocolError(let error) = try RemoteResponse(content: answer.json) else { return nil }
    return error
  }

  private func connected() async throws -> (Devices, ControllerRequests) {
    let devices = try Devices()
    try await devices.connect(devices.start())
    return (devices, try #require(await devices.desk.requests))
  }

  private func checkAlive(_ devices: Devices) async throws {
    let response = try await devices.desk.send(.send(command: "alive", retryNumber: 0)).response
    #expect(response == .chatResponse(.result(json: "{\"echo\":\"alive\"}")))
    await devices.stop()
  }

  @Test func wrongSignaturesAreRefused() async throws {
    let (devices, requests) = try await connected()
    let frame = try requests.frames.seal(Self.command).bytes
    var forged = frame
    forged[frame.count - 1] ^= 1
    #expect(try await error(of: forged, requests) == .remoteControl(.controllerAuthorization))
    // The keys of the frame were not used up.
    #expect(try await error(of: frame, requests) == nil)
    try await checkAlive(devices)
  }

  @Test func repeatedFramesAreRefused() async throws {
    let (devices, requests) = try await connected()
    let frame = try requests.frames.seal(Self.command).bytes
    #expect(try await error(of: frame, requests) == nil)
    let repeated = try await error(of: frame, requests)
    switch repeated {
    case .duplicateID, .earlierID: break
    default: Issue.record("\(String(describing: repeated))")
    }
    try await checkAlive(devices)
  }

  @Test func bombsAndLongFramesAreRefused() async throws {
    let (devices, requests) = try await connected()
    let bomb = try requests.frames.seal([UInt8](repeating: 32, count: FrameContent.commandLimit + 1)).bytes
    #expect(bomb.count < 1 << 20)
    #expect(try await error(of: bomb, requests) == .invalidSize)
    let long = FrameHead(counter: 9, bodySize: UInt32(FrameHead.bodyLimit) + 1).bytes
    #expect(try await error(of: long, requests) == .invalidSize)
    try await checkAlive(devices)
  }

  @Test func incompleteFramesAreRefused() async throws {
    let (devices, requests) = try await connected()
    let frame = try requests.frames.seal(Self.command).bytes
    #expect(try await error(of: [], requests) == .invalidSize)
    #expect(try await error(of: Array(frame.dropLast()), requests) == .invalidSize)
    try await checkAlive(devices)
  }

  @Test func filesWhereNoneBelongAreRefused() async throws {
    let (devices, requests) = try await connected()
    let frame = try requests.frames.seal(Self.command).bytes
    #expect(try await error(of: frame + [1, 0, 0, 0, 16], requests) == .unexpectedFile)
    let digest = try #require(FileDigest([UInt8](repeating: 1, count: 64)))
    let store = RemoteCommand.storeFile(name: "a", size: 8, digest: digest).jsonBytes()
    let none = try requests.frames.seal(store).bytes
    #expect(try await error(of: none, requests) == .noFile)
    let short = try requests.frames.seal(store).bytes
    #expect(try await error(of: short + [1, 0, 0, 0, 24, 0, 0], requests) == .fileSize)
    let other = try requests.frames.seal(store).bytes
    #expect(try await error(of: other + [1, 0, 0, 0, 25], requests) == .fileSize)
    let forged = try requests.frames.seal(store).bytes
    let box = [UInt8](repeating: 0, count: 24)
    #expect(try await error(of: forged + [1, 0, 0, 0, 24] + box, requests) == .remoteControl(.decrypt))
    let behind = try requests.frames.seal(store).bytes
    #expect(
      try await error(of: behind + [1, 0, 0, 0, 24] + box + [0], requests) == .invalidBody("bytes behind the file"))
    #expect(Folder.names(in: devices.folder + "/phone") == [])
    try await checkAlive(devices)
  }

  @Test func malformedCommandsAreRefused() async throws {
    let (devices, requests) = try await connected()
    let frame = try requests.frames.seal(Array("{\"type\":\"other\"}".utf8)).bytes
    let refused = try await error(of: frame, requests)
    guard case .invalidJSON = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    try await checkAlive(devices)
  }

  @Test func frameBytesInProgressAreLimited() throws {
    let budget = FrameBudget(limit: 10)
    try budget.take(6)
    #expect(throws: FrameError.invalidSize) { try budget.take(5) }
    budget.release(6)
    try budget.take(10)
  }
}
