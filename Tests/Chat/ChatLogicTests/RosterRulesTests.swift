import ChatLogic
import Testing

/// Versions of a channel's list of members with rights.
@Suite struct RosterRulesTests {
  @Test(
    arguments: [
      // version, seen, applied, expected
      (0, nil, nil, RosterRules.Step.complete), (1, nil, nil, .incomplete), (5, 5, 5, .complete), (6, 5, 5, .complete),
      (7, 5, 5, .incomplete), (4, 5, 5, .outdated), (5, 5, 3, .incomplete), (4, 4, 3, .complete),
      (Int64.max, 5, 5, .incomplete), (Int64.max, nil, nil, .incomplete), (Int64.min, nil, nil, .complete),
      (Int64.min, 0, 0, .outdated), (Int64.max, Int64.max, Int64.max, .complete),
    ] as [(Int64, Int64?, Int64?, RosterRules.Step)]
  ) func steps(version: Int64, seen: Int64?, applied: Int64?, expected: RosterRules.Step) {
    #expect(RosterRules.step(to: version, seen: seen, applied: applied) == expected)
  }

  @Test func lists() {
    #expect(RosterRules.accepts(list: 0, seen: nil, pending: nil))
    #expect(RosterRules.accepts(list: 3, seen: 3, pending: nil))
    #expect(!RosterRules.accepts(list: 2, seen: 3, pending: nil))
    #expect(RosterRules.accepts(list: 3, seen: 3, pending: 3))
    #expect(!RosterRules.accepts(list: 3, seen: 3, pending: 4))
  }
}
