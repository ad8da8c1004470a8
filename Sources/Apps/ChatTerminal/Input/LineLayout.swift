/// The rows and the cursor of the typed line on a screen of some width.
struct LineLayout: Equatable {
  /// What is on each row of the screen.
  private(set) var rows: [String] = [""]
  /// The row of the cursor, from 0.
  private(set) var cursorRow = 0
  /// The columns to the left of the cursor.
  private(set) var cursorColumn = 0
  private var column = 0

  /// Puts the prompt and the characters into rows.
  init(prompt: String, _ characters: [Character], cursor: Int, width: Int) {
    let width = max(2, width)
    for character in prompt { place(character, width) }
    for (index, character) in characters.enumerated() {
      if index == cursor { markCursor(before: character, width) }
      place(character, width)
    }
    if column == width { newRow() }
    if cursor >= characters.count { (cursorRow, cursorColumn) = (rows.count - 1, column) }
  }

  /// The rows that fit on a screen of some height, those around the cursor, and the row of the cursor among them.
  func visible(height: Int) -> (rows: ArraySlice<String>, cursorRow: Int) {
    let height = max(1, height)
    let first = min(cursorRow, max(0, rows.count - height))
    let rows = rows[first..<min(rows.count, first + height)]
    return (rows, cursorRow - first)
  }

  private mutating func place(_ character: Character, _ width: Int) {
    if character == "\n" { return newRow() }
    let size = character.columns
    if column + size > width { newRow() }
    rows[rows.count - 1].append(character)
    column += size
  }

  private mutating func markCursor(before character: Character, _ width: Int) {
    if character != "\n", column + character.columns > width { newRow() }
    (cursorRow, cursorColumn) = (rows.count - 1, min(column, width - 1))
  }

  private mutating func newRow() {
    rows.append("")
    column = 0
  }
}

extension Character {
  /// How many columns of a terminal it takes: two for wide letters and emoji.
  var columns: Int {
    unicodeScalars.contains { $0.value == 0xFE0F || Self.isWide($0) } ? 2 : isInvisible ? 0 : 1
  }

  private var isInvisible: Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format, .control: true
      default: false
      }
    }
  }

  /// The ranges of wide and full-width characters (Unicode Standard Annex 11), not finer than blocks.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3, 0x25FD...0x25FE,
    0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB,
    0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3,
    0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797, 0x27B0...0x27B0,
    0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E, 0x3041...0x33FF,
    0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F1FF,
    0x1F200...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
    0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440,
    0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
    0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC,
    0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC,
    0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF,
    0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
  ]

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x1100 else { return false }
    var (low, high) = (0, wideRanges.count)
    while low < high {
      let middle = (low + high) / 2
      if wideRanges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    return low < wideRanges.count && wideRanges[low].contains(scalar.value)
  }
}
