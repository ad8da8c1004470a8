/// The version of the programs of this package.
public enum ProgramVersion {
  /// The version of this implementation.
  public static let number = "0.9.0"

  /// The text that `--version` prints.
  ///
  /// - Parameter compatible: What the program is compatible with, such as a version of the reference.
  public static func text(of program: String, compatibleWith compatible: String) -> String {
    "\(program) \(number) (Swift), compatible with \(compatible)"
  }
}
