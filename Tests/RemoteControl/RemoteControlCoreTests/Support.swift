import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting

/// Golden data of remote control.
let vectors: Golden? = try? Vectors.load("xrcp.json")

/// Versions from `lowest` to `highest`.
func versions(_ lowest: String = "6.5.0.12", _ highest: String = "7.0.0.6") -> AppVersions {
  guard let lowest = AppVersion(text: lowest), let highest = AppVersion(text: highest),
    let versions = AppVersions(lowest, highest)
  else { preconditionFailure("a range of versions") }
  return versions
}

let hostSettings = HostSettings(
  versions: versions(), deviceName: "phone", encoding: .swift, encryptsFiles: true, compresses: true)

let controllerSettings = ControllerSettings(versions: versions(), deviceName: "desktop", compresses: true)

/// An address that is one.
func address(_ text: String) -> IPv4Address {
  guard let address = IPv4Address(text) else { preconditionFailure("an address") }
  return address
}

/// The address of controllers.
let desktop = address("192.168.1.2")

extension RemoteCredentials {
  /// Credentials whose certificate is any bytes: machines do not interpret it.
  init(using random: inout InsecureSeededRandom) {
    self.init(certificate: random.bytes(100), key: Ed25519.PrivateKey(using: &random))
  }
}

extension ControllerPairing {
  /// The record of a new host.
  init(using random: inout InsecureSeededRandom) {
    self.init(
      credentials: RemoteCredentials(using: &random), identityKey: Ed25519.PrivateKey(using: &random), host: nil,
      port: nil)
  }
}

extension [HostEffect] {
  /// What happened, without contents, for tables of states.
  var names: [String] { map(\.name) }
}

extension HostEffect {
  var name: String {
    switch self {
    case .listen: "listen"
    case .stopListening: "stopListening"
    case .connect(let number, _, _): "connect \(number.value)"
    case .store(let pairing): pairing.pendingKey == nil ? "store" : "store pending"
    case .send(let number, _): "send \(number.value)"
    case .serve(let number, _): "serve \(number.value)"
    case .close(let number): "close \(number.value)"
    case .answer(let command, .success(let answer)): "\(command): \(answer.name)"
    case .answer(let command, .failure(let error)): "\(command): \(error)"
    case .report(let event): event.name
    }
  }
}

extension HostAnswer {
  var name: String {
    switch self {
    case .connecting(let known, _, let version): "connecting\(known == nil ? "" : " known") \(version)"
    case .searching: "searching"
    case .connected(_, let isCompressing): "connected\(isCompressing ? " compressing" : "")"
    case .stopped: "stopped"
    }
  }
}

extension HostEvent {
  var name: String {
    switch self {
    case .found(_, let info, let isCompatible):
      "found\(info == nil ? " malformed" : "")\(isCompatible ? "" : " incompatible")"
    case .attemptFailed(_, let error): "attempt failed: \(error)"
    case .sessionCode(let known, _): "code\(known == nil ? "" : " known")"
    case .stopped(let state, let reason): "stopped \(state.name): \(reason)"
    }
  }
}

extension HostSessionState {
  var name: String {
    switch self {
    case .starting: "starting"
    case .searching: "searching"
    case .connecting: "connecting"
    case .pendingConfirmation: "pending"
    case .connected: "connected"
    }
  }
}

extension [ControllerEffect] {
  /// What happened, without contents, for tables of states.
  var names: [String] { map(\.name) }
}

extension ControllerEffect {
  var name: String {
    switch self {
    case .listen(let number, let port, _): "listen \(number.value)\(port.map { " on \($0)" } ?? "")"
    case .stopListening(let number): "stopListening \(number.value)"
    case .announce: "announce"
    case .store(let pairing): pairing.host?.pendingKey == nil ? "store" : "store pending"
    case .send(let number, _): "send \(number.value)"
    case .attach(let number, _, _): "attach \(number.value)"
    case .close(let number): "close \(number.value)"
    case .answer(let command, .success(.started)): "\(command): started"
    case .answer(let command, .success(.stopped)): "\(command): stopped"
    case .answer(let command, .failure(let error)): "\(command): \(error)"
    case .report(.sessionCode(let known, _)): "code\(known == nil ? "" : " known")"
    case .report(.newHost): "new host"
    case .report(.connected(_, let isCompressing)): "connected\(isCompressing ? " compressing" : "")"
    case .report(.stopped(let state, let reason, _)): "stopped \(state.name): \(reason)"
    }
  }
}

extension ControllerSessionState {
  var name: String {
    switch self {
    case .starting: "starting"
    case .connecting: "connecting"
    case .pendingConfirmation: "pending"
    case .confirmed: "confirmed"
    case .connected: "connected"
    }
  }
}
