import QRCodes
import Testing

@Suite("QR codes")
struct QRCodeTests {
  private static let link = "https://smp8.simplex.im/i#hpqlfIOUFcCcw3G5ej4V5x-iAVNOIDeq/RBYZorikB-ob22hdJbtjf8Ag5Y91UqR"

  /// The three finder patterns are where the standard places them, and a short link fits into a usual window.
  @Test func finderPatternsStandInThreeCorners() throws {
    let code = try #require(QRCode(Self.link))
    #expect(code.columns <= 45 && code.rows.count <= 24)
    for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
      for row in 0..<7 {
        for column in 0..<7 {
          let ring = max(abs(row - 3), abs(column - 3))
          #expect(code[left + column, top + row] == (ring != 2), "\(column), \(row)")
        }
      }
    }
  }

  /// The half blocks of the rows are the modules, with a light margin.
  @Test func rowsShowEveryModule() throws {
    let code = try #require(QRCode(Self.link))
    let rows = code.rows.map(Array.init)
    for row in -2..<code.size + 2 {
      for column in -2..<code.size + 2 {
        let character = rows[(row + 2) / 2][column + 2]
        let light: Set<Character> = row.isMultiple(of: 2) ? ["█", "▀"] : ["█", "▄"]
        #expect(light.contains(character) == !code[column, row], "\(column), \(row)")
      }
    }
  }

  @Test func textsThatHaveNoCode() {
    #expect(QRCode(String(repeating: "a", count: 2_953)) != nil)
    #expect(QRCode(String(repeating: "a", count: 2_954)) == nil)
    #expect(QRCode("a\0b") == nil)
  }
}
