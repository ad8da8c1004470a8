/// The work that an agent does by itself.
public enum AgentScope: Hashable, Sendable {
  /// Everything that is left to do.
  case everything
  /// Only what follows from the calls of the application and from the messages that it gets: for an extension, which
  /// has little time. Nothing is subscribed.
  case onDemand
}
