import RelayChassis
import SMPProtocol
import Testing

@Suite struct PasswordAttemptsTests {
  @Test func aFewAtOnceAndThenOneInEachInterval() {
    var attempts = PasswordAttempts()
    func tries(at now: Int64) -> Int {
      var count = 0
      while attempts.allowsAttempt(at: now) {
        attempts.failed(at: now)
        count += 1
      }
      return count
    }
    #expect(tries(at: 1_000) == 5)
    #expect(tries(at: 1_001) == 0)
    #expect(tries(at: 1_002) == 1)
    #expect(tries(at: 1_003) == 0)
    #expect(tries(at: 1_006) == 2)
    // A day later as at the start; the clock may be set back.
    #expect(tries(at: 90_000) == 5)
    #expect(tries(at: 10) == 0)
    #expect(tries(at: 12) == 1)
    #expect(tries(at: .max) == 5)
    // What is right costs nothing.
    var right = PasswordAttempts()
    #expect((0..<100).allSatisfy { _ in right.allowsAttempt(at: 5) })
  }

  @Test func onlyTheWholePasswordMatches() throws {
    let password = try #require(BasicAuth(Array("secret".utf8)))
    for (text, matches) in [("secret", true), ("secre", false), ("secrets", false), ("Secret", false), ("", false)] {
      #expect(password.matches(BasicAuth(Array(text.utf8))) == matches)
    }
    #expect(!password.matches(nil))
    #expect(try !#require(BasicAuth([])).matches(nil))
  }
}
