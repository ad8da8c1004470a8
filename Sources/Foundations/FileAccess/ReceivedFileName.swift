/// Names of files that other people chose.
public enum ReceivedFileName {
  /// The parts of a path, between separators of Unix and Windows. They are looked for as bytes, as systems do: with a
  /// mark after it, such as an accent, a slash is part of another character.
  public static func parts(ofPath path: String) -> [Substring] {
    path.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
      .map { Substring($0) }
  }

  /// A name without control characters, and without marks at its beginning, which would combine with the slash before
  /// it; shortened to 200 bytes. Nil where nothing is left, or it names a folder.
  /// - Parameter name: one of the ``parts(ofPath:)``.
  public static func safe(_ name: Substring) -> String? {
    let text = name.filter { character in
      character.unicodeScalars.allSatisfy { $0.value >= 32 && !(127...159).contains($0.value) }
    }
    let start = text.unicodeScalars.firstIndex { "/\($0)".count > 1 } ?? text.endIndex
    let rest = String(text[start...])
    return rest.isEmpty || rest == "." || rest == ".." ? nil : shortened(rest)
  }

  /// A short extension stays, and there is room for a number. A character may have any number of marks: where it is too
  /// long itself, it loses some of them.
  private static func shortened(_ name: String) -> String {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let ending = name[dot...].utf8.count <= 20 ? name[dot...] : ""
    var stem = name.dropLast(ending.count)
    while stem.utf8.count + ending.utf8.count > 200, !stem.dropFirst().isEmpty { stem.removeLast() }
    while stem.utf8.count + ending.utf8.count > 200 { stem.unicodeScalars.removeLast() }
    return String(stem + ending)
  }
}
