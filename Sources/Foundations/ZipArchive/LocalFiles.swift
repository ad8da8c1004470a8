#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files and folders of this machine, as far as archives need them.
public enum LocalFiles {
  /// The names of the files of a folder, in order, without folders and links; none where there is no such folder.
  public static func names(in folder: String) -> [String] {
    entries(of: folder).filter { kind(of: "\(folder)/\($0)") == .file }.sorted()
  }

  /// Removes a file; a folder of this name stays.
  public static func removeFile(_ path: String) { unlink(path) }

  /// Removes a file, or a folder with all that is in it. Links are removed, not followed.
  public static func remove(_ path: String) {
    guard kind(of: path) == .folder else {
      unlink(path)
      return
    }
    for name in entries(of: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// Gives a file another name; what had that name is gone.
  public static func rename(_ path: String, to new: String) throws(ZipError) {
    #if canImport(Darwin)
      let result = Darwin.rename(path, new)
    #elseif canImport(Glibc)
      let result = Glibc.rename(path, new)
    #else
      let result = Musl.rename(path, new)
    #endif
    guard result == 0 else { throw .file(path: new, reason: String(cString: strerror(errno))) }
  }

  private enum Kind { case file, folder, other }

  private static func kind(of path: String) -> Kind? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  private static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
