#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Folders, by default such that only their owner can use.
public enum Folder {
  /// Creates the folder, and those above it; those that exist stay as they are.
  /// - Parameter permissions: those of the new folders, whatever the process masks (umask).
  public static func create(_ path: String, permissions: UInt16 = 0o700) throws(FileError) {
    if try make(path, permissions) { return }
    guard let parent = parent(of: path) else { throw FileError(.open, path, code: ENOENT) }
    try create(parent, permissions: permissions)
    guard try make(path, permissions) else { throw FileError(.open, path, code: ENOENT) }
  }

  /// Creates a folder unless there is one; false where the one above it is missing.
  private static func make(_ path: String, _ permissions: UInt16) throws(FileError) -> Bool {
    guard mkdir(path, 0o700) == 0 else {
      switch errno {
      case EEXIST: return true
      case ENOENT: return false
      case let code: throw FileError(.open, path, code: code)
      }
    }
    guard permissions == 0o700 || chmod(path, mode_t(permissions)) == 0 else {
      throw FileError(.write, path, code: errno)
    }
    return true
  }

  /// The folder of a path; nil where the path has none, or is the root.
  public static func parent(of path: String) -> String? {
    let name = path.lastIndex { $0 != "/" } ?? path.startIndex
    guard let slash = path[...name].lastIndex(of: "/"), let end = path[..<slash].lastIndex(where: { $0 != "/" })
    else { return nil }
    return String(path[...end])
  }
}

extension Folder {
  /// The names of what a folder holds, in any order; nil where it cannot be read.
  public static func names(in path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a folder; one that holds something, or that cannot be removed, stays.
  public static func removeIfEmpty(_ path: String) { rmdir(path) }
}
