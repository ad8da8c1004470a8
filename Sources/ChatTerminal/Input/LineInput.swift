/// A line that somebody typed.
public struct TypedLine: Hashable, Sendable {
  /// The line.
  public var text: String
  /// Whether the message in it is sent at once and goes on while it is typed.
  public var isLive = false

  /// A finished line.
  public init(_ text: String, isLive: Bool = false) {
    self.text = text
    self.isLive = isLive
  }
}

/// Where typed lines come from, and where lines are shown meanwhile.
public protocol LineInput: Sendable {
  /// The lines, in order; it ends with the input.
  var lines: AsyncStream<TypedLine> { get }

  /// Beginnings of lines that are to be completed.
  var completions: AsyncStream<String> { get }

  /// Whether a person types: then what is typed is shown by the input itself.
  var isInteractive: Bool { get }

  /// What is typed now. Setting it replaces the line.
  var typed: String { get nonmutating set }

  /// Shows lines, above what is being typed.
  func show(_ lines: [StyledText])

  /// Changes what stands before what is typed.
  func prompt(_ prompt: String)

  /// Replaces the beginning of the typed line, if it is still what it was when it was to be completed.
  func complete(_ beginning: String, with completed: String)

  /// Gives the terminal back as it was.
  func end() async
}
