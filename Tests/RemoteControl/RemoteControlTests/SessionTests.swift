import RemoteControlCore
import RemoteControlProtocol
import Testing

@testable import RemoteControl

@Suite struct SessionTests {
  @Test func pairsAndExecutesCommandsInParallel() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    #expect(await devices.desk.hostInfo?.deviceName == "phone")
    await withThrowingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          let answer = try await devices.desk.send(.send(command: "c\(number)", retryNumber: 0))
          #expect(answer.response == .chatResponse(.result(json: "{\"echo\":\"c\(number)\"}")))
        }
      }
    }
    #expect(devices.handler.most > 1)
    await devices.stop()
  }

  @Test func requestsBeyondTheLimitFailAndTheOthersGoOn() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    let refused = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
      for _ in 0..<RemoteLimits.requests + 16 {
        group.addTask {
          do throws(RemoteRequestError) {
            _ = try await devices.desk.send(.send(command: "slow", retryNumber: 0))
            return false
          } catch {
            return error == .frame(.http2("too many requests"))
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(refused == 16)
    devices.handler.post("{}")
    #expect(try await devices.remoteEvents.next { $0 } == .result(json: "{}"))
    await devices.stop()
  }

  @Test func aCancelledRequestEndsAtOnce() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    let request = Task { try await devices.desk.send(.send(command: "slow", retryNumber: 0)).response }
    try await Task.sleep(for: .milliseconds(50))
    request.cancel()
    await #expect(throws: RemoteRequestError.self) { try await request.value }
    let response = try await devices.desk.send(.send(command: "next", retryNumber: 0)).response
    #expect(response == .chatResponse(.result(json: "{\"echo\":\"next\"}")))
    await devices.stop()
  }

  @Test func searchingNeedsAKnownController() async throws {
    let devices = try Devices()
    await #expect(throws: RemoteSessionError.noKnownControllers) { try await devices.phone.find() }
    await #expect(throws: RemoteSessionError.control(.newController)) { try await devices.start(announces: true) }
  }

  @Test func aDesktopThatCannotStoreTheRecordEndsTheSession() async throws {
    let devices = try Devices()
    devices.deskStore.setFailing(true)
    let received = try ReceivedInvitation.codec.decode(text: try await devices.start().text)
    _ = try await devices.phone.connect(received)
    let code = try await devices.phoneEvents.next { if case .sessionCode(_, let code) = $0 { code } else { nil } }
    await #expect(throws: RemoteSessionError.self) { try await devices.phone.verify(code.description) }
    let reason = try await devices.deskEvents.next { if case .stopped(_, let reason, _) = $0 { reason } else { nil } }
    guard case .crashed = reason else {
      Issue.record("\(reason)")
      return
    }
    await devices.stop()
  }

  @Test func passesEventsOnInOrder() async throws {
    let devices = try Devices()
    for number in 0..<20 { devices.handler.post("{\"n\":\(number)}") }
    try await devices.connect(devices.start())
    for number in 0..<20 {
      #expect(try await devices.remoteEvents.next { $0 } == .result(json: "{\"n\":\(number)}"))
    }
    #expect(devices.deskStore.host?.host?.pendingKey == nil && devices.deskStore.host?.host?.key != nil)
    await devices.stop()
  }

  @Test func anotherCodeEndsBothSessions() async throws {
    let devices = try Devices()
    let received = try ReceivedInvitation.codec.decode(text: try await devices.start().text)
    _ = try await devices.phone.connect(received)
    _ = try await devices.phoneEvents.next { if case .sessionCode(_, let code) = $0 { code } else { nil } }
    await #expect(throws: RemoteSessionError.protocolError(.sessionCode)) { try await devices.phone.verify("1 2 3") }
    #expect(await devices.phone.state == nil)
    await devices.stop()
  }

  /// Long responses share a limit as long as they are kept; short ones are always taken.
  @Test func longResponsesShareALimit() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    let session = try #require(await devices.desk.requests)
    let requests = ControllerRequests(session.connection, session.frames, responses: FrameBudget(limit: 3 << 20))
    let long = RemoteCommand.send(command: "long", retryNumber: 0)
    let kept = try await requests.send(long, filePath: nil)
    await #expect(throws: RemoteRequestError.self) { try await requests.send(long, filePath: nil) }
    let short = try await requests.send(.send(command: "c", retryNumber: 0), filePath: nil)
    #expect(short.response == .chatResponse(.result(json: "{\"echo\":\"c\"}")))
    withExtendedLifetime(kept) {}
    _ = consume kept
    _ = try await requests.send(long, filePath: nil)
    await devices.stop()
  }

  @Test func stoppingThePhoneIsReportedToTheDesktop() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    await devices.phone.stop()
    let reason = try await devices.deskEvents.next { if case .stopped(_, let reason, _) = $0 { reason } else { nil } }
    #expect(reason == .disconnected)
    await #expect(throws: RemoteRequestError.session(.missing)) {
      try await devices.desk.send(.send(command: "c", retryNumber: 0))
    }
    await devices.stop()
  }

  @Test func stoppingTheDesktopIsReportedToThePhone() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    await devices.desk.stop()
    let reason = try await devices.phoneEvents.next { if case .stopped(_, let reason) = $0 { reason } else { nil } }
    #expect(reason == .disconnected)
    await devices.stop()
  }

  @Test func aKnownPhoneFindsTheDesktopAgain() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    await devices.phone.stop()
    try await devices.deskEvents.next { if case .stopped = $0 { () } else { nil } }
    let pairing = try #require(devices.deskStore.host)
    let answer = try await devices.phone.find()
    guard case .searching = answer else { return #expect(Bool(false)) }
    _ = try await devices.start(pairing, announces: true)
    let found = try await devices.phoneEvents.next { if case .found(let pairing, _, _) = $0 { pairing } else { nil } }
    _ = try await devices.phone.confirm(found.controller)
    try await devices.complete()
    let response = try await devices.desk.send(.send(command: "again", retryNumber: 0)).response
    #expect(response == .chatResponse(.result(json: "{\"echo\":\"again\"}")))
    await devices.stop()
  }

  @Test func aLostPhoneIsLookedFor() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start(reconnects: true))
    await devices.phone.stop()
    try await devices.deskEvents.next { if case .stopped = $0 { () } else { nil } }
    _ = try await devices.phone.find()
    let found = try await devices.phoneEvents.next { if case .found(let pairing, _, _) = $0 { pairing } else { nil } }
    _ = try await devices.phone.confirm(found.controller)
    try await devices.complete()
    await devices.stop()
  }

  @Test func anotherPhoneIsRefusedAndTheRightOneConnects() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    await devices.phone.stop()
    try await devices.deskEvents.next { if case .stopped = $0 { () } else { nil } }
    let pairing = try #require(devices.deskStore.host)
    let invitation = try await devices.start(pairing)
    let other = try Devices()
    _ = try await other.phone.connect(ReceivedInvitation.codec.decode(text: invitation.text))
    let reason = try await other.phoneEvents.next { if case .stopped(_, let reason) = $0 { reason } else { nil } }
    #expect(reason == .connectionFailed(.control(.identity)))
    try await devices.connect(invitation)
    await devices.stop()
  }

  @Test func nothingIsSentBeforeTheRecordIsStored() async throws {
    let devices = try Devices()
    let received = try ReceivedInvitation.codec.decode(text: try await devices.start().text)
    _ = try await devices.phone.connect(received)
    let code = try await devices.phoneEvents.next { if case .sessionCode(_, let code) = $0 { code } else { nil } }
    devices.phoneStore.setFailing(true)
    await #expect(throws: RemoteSessionError.self) { try await devices.phone.verify(code.description) }
    #expect(await devices.phone.state == nil)
    #expect(devices.deskStore.host == nil)
    await devices.stop()
  }
}
