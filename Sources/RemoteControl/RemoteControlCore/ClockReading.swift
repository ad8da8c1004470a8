/// The time of both clocks of a device.
public struct ClockReading: Hashable, Sendable {
  /// Milliseconds of a clock that never goes back.
  public var milliseconds: Int64
  /// Seconds since 1970, as far as the device knows.
  public var unixSeconds: Int64

  /// The time of both clocks.
  public init(milliseconds: Int64, unixSeconds: Int64) {
    self.milliseconds = milliseconds
    self.unixSeconds = unixSeconds
  }
}
