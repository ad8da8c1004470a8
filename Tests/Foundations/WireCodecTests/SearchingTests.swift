import Testing
import WireCodec

struct SearchingTests {
  @Test(
    arguments: [
      ("", "a", nil), ("a", "a", 0), ("::1", "::", 0), ("1:::2", "::", 1), ("1:2:", "::", nil), ("äöü", "ö", 2),
      ("aab", "ab", 1), ("ab", "abc", nil),
    ] as [(String, String, Int?)])
  func findsTheFirstPlace(text: String, wanted: String, offset: Int?) {
    let range = text.firstRange(ofText: wanted)
    #expect(range.map { text.utf8.distance(from: text.utf8.startIndex, to: $0.lowerBound) } == offset)
    #expect(range.map { String(text[$0]) } == offset.map { _ in wanted })
    #expect(text.containsText(wanted) == (offset != nil))
    #expect(("x" + text).dropFirst().containsText(wanted) == (offset != nil))
  }
}
