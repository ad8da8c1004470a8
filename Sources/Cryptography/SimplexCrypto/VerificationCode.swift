/// The security code that two people compare to exclude a man in the middle.
public enum VerificationCode {
  /// The code of a hash: its number in decimal digits, in groups of five.
  public static func text(_ hash: [UInt8]) -> String {
    // Division of the big number by 10⁵ yields the groups from the last one on.
    var number = hash
    var groups: [UInt32] = []
    while let first = number.firstIndex(where: { $0 != 0 }) {
      number.removeFirst(first)
      var rest: UInt32 = 0
      for index in number.indices {
        let value = rest << 8 | UInt32(number[index])
        number[index] = UInt8(truncatingIfNeeded: value / 100_000)
        rest = value % 100_000
      }
      groups.append(rest)
    }
    var digits = groups.reversed()
      .map { group in
        let text = String(group)
        return String(repeating: "0", count: 5 - text.count) + text
      }
      .joined()
    digits.removeFirst(digits.prefix { $0 == "0" }.count)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && index % 5 == 0 { result.append(" ") }
      result.append(digit)
    }
    return result
  }

  /// Whether two codes are the same; spaces do not matter.
  public static func isSame(_ left: String, _ right: String) -> Bool {
    left.filter { !$0.isWhitespace } == right.filter { !$0.isWhitespace }
  }
}
