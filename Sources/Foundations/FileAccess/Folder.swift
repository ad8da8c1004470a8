#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Folders that only their owner can use.
public enum Folder {
  /// Creates the folder, and those above it, with mode 0700; those that exist stay as they are.
  public static func create(_ path: String) throws(FileError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let parent = parent(of: path) else { throw FileError(.open, path, code: errno) }
    try create(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(.open, path, code: errno) }
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
}
