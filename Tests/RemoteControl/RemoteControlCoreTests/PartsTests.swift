import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing

@testable import RemoteControlCore

@Suite struct AnnouncementScheduleTests {
  /// The times in seconds of all steps up to a time.
  private func steps(_ schedule: AnnouncementSchedule, until end: Int64) -> [(Int64, AnnouncementSchedule.Step)] {
    var schedule = schedule
    var steps: [(Int64, AnnouncementSchedule.Step)] = []
    while let next = schedule.next, next <= end, let step = schedule.step(at: next) {
      steps.append((next / 1_000, step))
    }
    return steps
  }

  @Test func oneBurst() {
    let steps = steps(AnnouncementSchedule(at: 5_000, repeats: false), until: 10_000_000)
    #expect(steps.map(\.0) == Array(5...64))
    #expect(steps.allSatisfy { $0.1 == .announce })
  }

  @Test func burstsWithPausesThatDouble() {
    let steps = steps(AnnouncementSchedule(at: 0, repeats: true), until: 4_000_000)
    var expected: [Int64] = []
    var start: Int64 = 0
    for pause: Int64 in [10, 20, 40, 80, 160, 320, 600, 600, 600, 600, 600] {
      expected += Array(start..<start + 60)
      start += 60 + pause
    }
    #expect(steps.map(\.0) == expected.filter { $0 <= 4_000 })
    let bursts = steps.filter { $0.1 == .announceAnew }.map(\.0)
    #expect(bursts == [70, 150, 250, 390, 610, 990, 1_650, 2_310, 2_970, 3_630])
  }

  @Test func nothingIsDueEarly() {
    var schedule = AnnouncementSchedule(at: 100, repeats: true)
    // After a delay there is one announcement, not all that were missed.
    let steps = [99, 100, 1_099, 9_000].map { schedule.step(at: $0) }
    #expect(steps == [nil, .announce, nil, .announce])
    #expect(schedule.next == 10_000)
  }
}

@Suite struct DatagramBudgetTests {
  @Test func ofASource() {
    var budget = DatagramBudget()
    func admits(_ source: IPv4Address, at now: Int64) -> Bool { budget.admits(from: source, agreements: 3, at: now) }
    let count = (0..<100).filter { _ in admits(desktop, at: 500) }.count
    #expect(count == DatagramBudget.sourceLimit)
    #expect(admits(address("192.168.1.9"), at: 900))
    #expect(!admits(desktop, at: 1_499))
    #expect(admits(desktop, at: 1_500))
  }

  @Test func inTotal() {
    var budget = DatagramBudget()
    var agreements = 0
    for source in 0..<10_000 {
      let from = address("10.0.\(source / 256).\(source % 256)")
      if budget.admits(from: from, agreements: 9, at: 0) { agreements += 9 }
    }
    #expect(agreements <= DatagramBudget.agreementLimit)
    #expect(agreements > DatagramBudget.agreementLimit - 9)
  }

  @Test func manyKnownControllersAreStillFound() {
    var budget = DatagramBudget()
    let admitted = [0, 999, 1_000].map { budget.admits(from: desktop, agreements: 3_000, at: $0) }
    #expect(admitted == [true, false, true])
  }

  @Test func clocksThatGoBackBeginAnotherPeriod() {
    var budget = DatagramBudget()
    let admitted = [5_000, 0, .max, .min, 0].map { budget.admits(from: desktop, agreements: 240, at: $0) }
    #expect(admitted == [true, true, true, true, true])
  }
}

@Suite struct PairingTests {
  @Test func theHostOffersTheSameKeyUntilASessionIsComplete() throws {
    var random = InsecureSeededRandom(seed: 1)
    let credentials = RemoteCredentials(using: &random)
    var pairing = HostPairing(
      credentials: credentials, controller: credentials.fingerprint,
      identityKey: Ed25519.PrivateKey(using: &random).publicKey, controllerName: "", currentKey: nil, previousKey: nil,
      pendingKey: nil)
    #expect(!pairing.isComplete && pairing.announcementKeys.isEmpty)
    let first = pairing.offerKey(using: &random)
    #expect(pairing.offerKey(using: &random) == first)
    #expect(!pairing.isComplete && pairing.announcementKeys == [first])
    pairing.complete()
    pairing.complete()
    #expect(pairing.isComplete && pairing.announcementKeys == [first])
    let second = pairing.offerKey(using: &random)
    #expect(second != first)
    pairing.complete()
    let third = pairing.offerKey(using: &random)
    #expect(pairing.announcementKeys == [second, first, third])
  }

  @Test func theControllerAnnouncesForBothKeysUntilTheHostAnswers() throws {
    var random = InsecureSeededRandom(seed: 2)
    var pairing = ControllerPairing(using: &random)
    let keys = (0..<3).map { _ in X25519.PrivateKey(using: &random).publicKey }
    func confirm() -> Bool { pairing.confirmKey() }
    #expect(!confirm())
    pairing.accept(keys[0], fingerprint: pairing.fingerprint, name: "a")
    #expect(pairing.host?.announcementKeys == [keys[0]])
    #expect(confirm())
    #expect(!confirm())
    pairing.accept(keys[1], fingerprint: pairing.fingerprint, name: "b")
    #expect(pairing.host?.announcementKeys == [keys[0], keys[1]])
    pairing.accept(keys[2], fingerprint: pairing.fingerprint, name: "b")
    #expect(pairing.host?.announcementKeys == [keys[0], keys[2]])
    #expect(confirm())
    #expect(pairing.host?.announcementKeys == [keys[2]])
    #expect(pairing.host?.name == "b")
    pairing.accept(keys[2], fingerprint: pairing.fingerprint, name: "b")
    #expect(pairing.host?.announcementKeys == [keys[2]])
  }
}
