#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Names for received files.
public enum ReceivedName {
  /// A path in a folder for a file whose sender named it `name`: only the last component of the name counts, and a
  /// number is added where a file has the name already, as in `photo_1.jpg`.
  public static func path(in folder: String, for name: String) -> String {
    let name = safe(name)
    // All extensions stay at the end, as in `archive_1.tar.gz`.
    let dot = name.dropFirst().firstIndex(of: ".") ?? name.endIndex
    for number in 0... {
      let suffix = number == 0 ? "" : "_\(number)"
      let path = "\(folder)/\(name[..<dot])\(suffix)\(name[dot...])"
      if access(path, F_OK) != 0 { return path }
    }
    return "\(folder)/\(name)"
  }

  /// The name without folders and control characters, shortened to 200 bytes; `file` where nothing is left.
  static func safe(_ name: String) -> String {
    let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
    let text = String(
      last.filter { character in
        character.unicodeScalars.allSatisfy { $0.value >= 32 && !(127...159).contains($0.value) }
      })
    return text.isEmpty || text == "." || text == ".." ? "file" : shortened(text)
  }

  /// The name with at most 200 bytes, so that a number and the like can be added; a short extension stays.
  private static func shortened(_ name: String) -> String {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let ending = name[dot...].utf8.count <= 20 ? name[dot...] : ""
    var stem = name.dropLast(ending.count)
    while stem.utf8.count + ending.utf8.count > 200, !stem.isEmpty { stem.removeLast() }
    return String(stem + ending)
  }
}
