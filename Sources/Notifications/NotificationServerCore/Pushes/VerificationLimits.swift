import NotificationProtocol

/// How often codes are pushed to a device: anybody can register a device whose token is known.
public struct VerificationLimits: Sendable {
  /// The shortest time between two codes, in milliseconds.
  public static let interval: Int64 = 30_000
  /// The number of codes in ``window``.
  public static let limit = 20
  /// A day, in milliseconds.
  public static let window: Int64 = 86_400_000
  /// The number of devices that are known, about.
  static let deviceLimit = 200_000

  private struct Device {
    var windowStart: Int64
    var count: Int
    var last: Int64
  }

  private var devices: [PushDevice: Device] = [:]

  public init() {}

  /// Takes the next code of a device into account. Times are in milliseconds of a steady clock.
  /// - Returns: when the code may be pushed; nil if there were too many.
  public mutating func reserve(_ device: PushDevice, at now: Int64) -> Int64? {
    if devices.count >= Self.deviceLimit { devices = devices.filter { $0.value.windowStart > now - Self.window } }
    guard var known = devices[device], known.windowStart > now - Self.window else {
      // Where an attacker knows so many devices, new ones are not counted apart.
      if devices.count < Self.deviceLimit { devices[device] = Device(windowStart: now, count: 1, last: now) }
      return now
    }
    guard known.count < Self.limit else { return nil }
    known.count += 1
    known.last = max(now, known.last + Self.interval)
    devices[device] = known
    return known.last
  }
}
