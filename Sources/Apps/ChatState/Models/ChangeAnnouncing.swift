#if canImport(Combine)
  import Combine

  /// A model object that views can follow by `Observation` and, as an `ObservableObject`, by Combine.
  @MainActor
  protocol ChangeAnnouncing: ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {}

  extension ChangeAnnouncing {
    /// Announces a change to the views that follow the object by Combine.
    func announceChange() { objectWillChange.send() }
  }
#else
  /// A model object that views can follow by `Observation`; where Combine exists, also as an `ObservableObject`.
  @MainActor
  protocol ChangeAnnouncing: AnyObject {}

  extension ChangeAnnouncing {
    /// A no-op: there is no Combine.
    func announceChange() {}
  }
#endif
