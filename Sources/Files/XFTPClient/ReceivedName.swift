import FileAccess

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
    let last = ReceivedFileName.parts(ofPath: name).last { !$0.isEmpty } ?? ""
    return ReceivedFileName.safe(last) ?? "file"
  }
}
