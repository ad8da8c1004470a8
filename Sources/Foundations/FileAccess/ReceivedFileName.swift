/// Names of files that other people chose.
public enum ReceivedFileName {
  /// A name without control characters, shortened to 200 bytes; nil where nothing is left, or it names a folder.
  /// - Parameter name: the last part of a path, without separators.
  public static func safe(_ name: Substring) -> String? {
    let text = String(
      name.filter { character in
        character.unicodeScalars.allSatisfy { $0.value >= 32 && !(127...159).contains($0.value) }
      })
    return text.isEmpty || text == "." || text == ".." ? nil : shortened(text)
  }

  /// A short extension stays, and there is room for a number.
  private static func shortened(_ name: String) -> String {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let ending = name[dot...].utf8.count <= 20 ? name[dot...] : ""
    var stem = name.dropLast(ending.count)
    while stem.utf8.count + ending.utf8.count > 200, !stem.isEmpty { stem.removeLast() }
    return String(stem + ending)
  }
}
