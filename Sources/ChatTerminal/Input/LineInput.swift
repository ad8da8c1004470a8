/// Where typed lines come from, and where lines are shown meanwhile.
public protocol LineInput: Sendable {
  /// The lines, in order; it ends with the input.
  var lines: AsyncStream<String> { get }

  /// Whether a person types: then what is typed is shown by the input itself.
  var isInteractive: Bool { get }

  /// Shows lines, above what is being typed.
  func show(_ lines: [StyledText])

  /// Changes what stands before what is typed.
  func prompt(_ prompt: String)

  /// Gives the terminal back as it was.
  func end() async
}
