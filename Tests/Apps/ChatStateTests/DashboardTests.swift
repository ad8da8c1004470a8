import Testing

@testable import chat_dashboard

@Suite struct DashboardTests {
  @Test func `Bytes of a terminal become keys`() {
    func keys(_ text: String) -> [Key] { Key.keys(in: Array(text.utf8)) }
    #expect(keys("hi\r") == [.text("hi"), .enter])
    #expect(keys("\u{1B}[A\u{1B}[B") == [.up, .down])
    #expect(keys("\u{1B}") == [.escape])
    #expect(keys("é\u{7F}\t\u{3}") == [.text("é"), .delete, .tab, .interrupt])
    #expect(keys("\u{1B}[1;5Cx") == [.text("x")])
    #expect(keys("") == [])
  }
}
