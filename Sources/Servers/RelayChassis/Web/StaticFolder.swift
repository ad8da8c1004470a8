import FileAccess

/// A folder whose files browsers are shown: those that an operator put there besides the pages of the relay.
public struct StaticFolder: Hashable, Sendable {
  /// A file that can be shown.
  package struct File: Hashable, Sendable {
    /// Where it is.
    package let path: String
    /// The size in bytes.
    package let size: Int64
    /// Its media type.
    package let mediaType: String
  }

  private let path: String

  /// The folder with this path, which need not exist.
  public init(_ path: String) { self.path = path }

  /// The file at the path of a request, or the `index.html` of the folder there; nil where there is none. What is
  /// hidden, and what a link leads to outside of the folder, is not there. Whatever follows a question mark is ignored.
  package func file(at request: String) -> File? {
    var names = request.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    // Its own name would be hidden.
    if names.first == ".well-known" { names[0] = "well-known" }
    guard request.hasPrefix("/"), names.allSatisfy({ !$0.hasPrefix(".") && !$0.utf8.contains(0) }),
      let root = RealPath.existing(path)
    else { return nil }
    let place = ([root] + names).joined(separator: "/")
    return Self.file("\(place)/index.html", in: root) ?? (names.isEmpty ? nil : Self.file(place, in: root))
  }

  private static func file(_ path: String, in root: String) -> File? {
    guard let path = RealPath.existing(path), path.hasPrefix(root == "/" ? root : root + "/"),
      let size = PathStatus.size(of: path)
    else { return nil }
    return File(path: path, size: size, mediaType: mediaType(path))
  }

  private static let mediaTypes = [
    "html": "text/html; charset=utf-8", "css": "text/css", "js": "application/javascript",
    "mjs": "application/javascript",
    "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "json": "application/json",
    "wasm": "application/wasm", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf",
    "txt": "text/plain; charset=utf-8",
  ]

  private static func mediaType(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    // The name that Apple's devices ask for has no extension.
    if name == "apple-app-site-association" { return "application/json" }
    return name.split(separator: ".").dropFirst().last.flatMap { mediaTypes[String($0)] } ?? "application/octet-stream"
  }
}
