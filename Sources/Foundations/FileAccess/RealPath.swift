#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An absolute path without symbolic links, `.`, `..` and needless slashes: two of them are the same where they lead to
/// the same place.
public struct RealPath: Hashable, Sendable, CustomStringConvertible {
  /// The path as text.
  public let text: String

  /// The most symbolic links that are followed, as by the system.
  private static let linkLimit = 40

  /// The place to which a path leads. What does not exist yet is where it would be created.
  public init(_ path: String) { text = Self.resolve(path, links: Self.linkLimit) }

  /// Whether the other place is this one or inside of it.
  public func contains(_ other: RealPath) -> Bool {
    other == self || other.text.hasPrefix(text == "/" ? "/" : text + "/")
  }

  public var description: String { text }

  /// The real path of a file or folder; nil where there is none, or it cannot be reached.
  public static func existing(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  private static func resolve(_ path: String, links: Int) -> String {
    if let found = existing(path) { return found }
    guard links > 0, let name = path.split(separator: "/").last else { return path }
    let folder = Folder.parent(of: path) ?? (path.hasPrefix("/") ? "/" : ".")
    // The current folder has no path where it was removed.
    guard folder != path else { return path }
    let parent = resolve(folder, links: links)
    switch name {
    case ".": return parent
    case "..": return Folder.parent(of: parent) ?? "/"
    default: break
    }
    let place = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    guard let target = target(of: place) else { return place }
    return resolve(target.hasPrefix("/") ? target : "\(parent)/\(target)", links: links - 1)
  }

  /// What a symbolic link names; nil where the path is none.
  private static func target(of path: String) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { space, count in
      count = space.withMemoryRebound(to: CChar.self) { space in
        space.baseAddress.map { max(0, readlink(path, $0, space.count)) } ?? 0
      }
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
