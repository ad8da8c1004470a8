import FileAccess

/// The folders and files of a relay that a folder of pages for browsers must not have, because everybody could read
/// them.
public struct PrivatePlaces: Hashable, Sendable {
  private struct Place: Hashable {
    var path: String
    /// What is there.
    var content: String
    /// Whether a folder of pages may be inside of it.
    var mayHavePages: Bool
  }

  private var places: [Place] = []

  /// The folders of a relay. Pages may be in that of the database, where the reference servers have them.
  public init(_ folders: some RelayFolders) {
    add(folders.configuration, "the settings and keys")
    add(folders.data, "the database", mayHavePages: true)
  }

  /// Adds a folder or file with what is there.
  public mutating func add(_ path: String, _ content: String, mayHavePages: Bool = false) {
    places.append(Place(path: path, content: content, mayHavePages: mayHavePages))
  }

  /// Why a folder cannot be one of pages, a part of a sentence; nil where it can. Of all paths, the places count to
  /// which they lead now, through symbolic links, too.
  public func problem(ofPages folder: String) -> String? {
    let pages = RealPath(folder)
    for place in places {
      let real = RealPath(place.path)
      if pages.contains(real) {
        return "everybody could read \(place.content) in \(place.path): use a folder of its own"
      }
      if !place.mayHavePages, real.contains(pages) {
        return "it is inside of \(place.path), which has \(place.content): use a folder of its own"
      }
    }
    return nil
  }
}
