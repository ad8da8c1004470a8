#if canImport(CQRCodeGen)
  import CQRCodeGen
#endif

/// A QR code (ISO/IEC 18004) of a text, such as a link or the address of a server, for the rows of a terminal.
public struct QRCode: Hashable, Sendable {
  /// How many modules a side has: 21 to 177.
  public let size: Int
  private let isDark: [Bool]

  /// The smallest code of a text, with as much correction of errors as fits without making it larger.
  ///
  /// Nil where the text has more than 2,953 bytes or a zero byte, and on systems without libqrcodegen (all but Linux).
  public init?(_ text: String) {
    #if canImport(CQRCodeGen)
      var buffer = [UInt8](repeating: 0, count: Int(simplex_qrcode_buffer_size()))
      var code = buffer
      // The library reads a text up to its first zero.
      guard !text.utf8.contains(0), text.utf8.count <= Self.longestText,
        qrcodegen_encodeText(text, &buffer, &code, qrcodegen_Ecc_LOW, 1, 40, qrcodegen_Mask_AUTO, true)
      else { return nil }
      let size = Int(qrcodegen_getSize(code))
      self.size = size
      isDark = (0..<size * size).map { qrcodegen_getModule(code, Int32($0 % size), Int32($0 / size)) }
    #else
      return nil
    #endif
  }

  /// The longest text in bytes.
  private static let longestText = 2_953

  /// Whether a module is dark; those outside of the code are light.
  public subscript(column: Int, row: Int) -> Bool {
    guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
    return isDark[row * size + column]
  }

  /// The rows of a terminal, two rows of modules in each, with a light margin of two modules around (the standard asks
  /// for four).
  ///
  /// Light modules are blocks (`▀`, `▄`, `█`) and dark ones the background: readers need the lighter ones to be light,
  /// so the text is to be shown in white on black, or as it is on a terminal that is dark.
  public var rows: [String] {
    stride(from: -Self.margin, to: size + Self.margin, by: 2).map { row in
      String(
        (-Self.margin..<size + Self.margin).map { column -> Character in
          switch (self[column, row], self[column, row + 1]) {
          case (false, false): "█"
          case (false, true): "▀"
          case (true, false): "▄"
          case (true, true): " "
          }
        })
    }
  }

  /// The SGR parameters for ``rows``: white on black.
  public static let terminalColors = "97;40"

  /// The width of ``rows`` in columns.
  public var columns: Int { size + 2 * Self.margin }

  private static let margin = 2
}
