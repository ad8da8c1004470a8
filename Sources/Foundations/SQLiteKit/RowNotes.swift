/// Notes about unreadable rows and columns, in the words of ``SQLiteRow/note(column:_:)``.
public final class RowNotes {
  private var texts: [String] = []
  /// The number of notes that are kept until they are taken.
  private static let limit = 100

  init() {}

  func add(_ text: String) { if texts.count < Self.limit { texts.append(text) } }

  /// Returns the notes since the last call.
  public func take() -> [String] {
    if texts.isEmpty { return [] }
    defer { texts = [] }
    return texts
  }
}
