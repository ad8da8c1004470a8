/// The rules of the list of members with rights (roster) that an owner of a channel signs.
public enum RosterRules {
  /// The longest list that is received, in bytes.
  public static let maximumSize = 32_768

  /// The consequence of a signed event that names a version of the list.
  public enum Step: Hashable, Sendable {
    /// The event is outdated and is ignored.
    case outdated
    /// The event is applied; afterwards nothing is missing up to its version.
    case complete
    /// The event is applied; events before it are missing, and the list has to be requested.
    case incomplete
  }

  /// The consequence of an event with a version. Several events can have the same version.
  /// - Parameters:
  ///   - seen: the highest version that an event named; nil for none.
  ///   - applied: the version up to which everything is applied; nil for none. Lists begin with version 0.
  public static func step(to version: Int64, seen: Int64?, applied: Int64?) -> Step {
    if let seen, version < seen { return .outdated }
    // The version that comes next, without overflow: peers choose the numbers.
    let known = applied ?? -1
    return version <= known || version - 1 == known ? .complete : .incomplete
  }

  /// Whether a list of a version may replace what is known.
  /// - Parameters:
  ///   - seen: the highest version that an event named; nil for none.
  ///   - pending: the version of the list that is being received from the same source; nil for none.
  public static func accepts(list version: Int64, seen: Int64?, pending: Int64?) -> Bool {
    version >= seen ?? .min && version >= pending ?? .min
  }
}
