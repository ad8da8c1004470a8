import RemoteControlProtocol
import SimplexCrypto
import SimplexJSON
import WireCodec

private let link =
  "xrcp:/n5vlRpUQNvsXgcLcP41CrH5Eqvi_aO-K2UgTocifG3Q=@[2001:db8::1]:34567#/?v=1&app=%7B%7D&ts=1700000000"
  + "&skey=MCowBQYDK2VwAyEAZH6FDpXASk09ffWpuywtNhAG8I3WerW4M9nuqztx098%3D"
  + "&idkey=MCowBQYDK2VwAyEAqp5kszQWjvF0R421Y64ZgmKdUGqIfb5JxYQScNuGhvg%3D"
  + "&dh=MCowBQYDK2VuAyEAqjV32qet3iYC5hCBtfakZcrXOQdcG6nP90AY11UYL1s%3D"
  + "&ssig=BMHY7IFLP1fxyYc1VAAbum2thPI0tuzJ6dlTWSXS6DeJiSX-5-Aysq4Ra4e_2QfQqiyrqaKwA2KuUra2qSlJDw=="
  + "&idsig=7lC1m7s2dFYULkN3ihv9uM6jkDun077iCoNJlyz2ytxcVAZd3rXtCS7ezPF7Xk7WRiLNHpRAMmtL677JfXSiAw=="

/// A public key of X25519 with its length.
private let key = [44] + [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 3, 0x21, 0] + [UInt8](repeating: 9, count: 32)

private let signatures = [64] + [UInt8](repeating: 1, count: 64) + [64] + [UInt8](repeating: 2, count: 64)

let remoteControlTargets: [FuzzTarget] = [
  FuzzTarget("remote-invitation", seeds: [Array(link.utf8)]) { input in
    guard let received = try? ReceivedInvitation.codec.decode(input) else { return }
    precondition(
      (try? ReceivedInvitation.codec.encode(received)) == input, "remote-invitation: changed by a round trip")
    _ = received.verified()
    _ = try? received.unverified.appInfo()
  },
  .codec("remote-announcement", Announcement.codec, seeds: [key + [UInt8](repeating: 7, count: 940)]),
  .codec("remote-host-hello", SealedHostHello.codec, seeds: [Array("HELLO ".utf8) + key + [UInt8](0...99)]),
  .codec(
    "remote-controller-hello", ControllerHello.codec,
    seeds: [
      Array("HELLO ".utf8) + [4, 15] + [UInt8](repeating: 1, count: 1_055), Array("ERROR ".utf8) + [UInt8](0...99),
    ]),
  .codec("remote-frame-signatures", FrameSignatures.codec, seeds: [signatures]),
  FuzzTarget("remote-frame", seeds: [[20, 0, 0, 0, 1, 0, 0, 0, 16] + [UInt8](0...15) + signatures]) { input in
    let size = Int(input.first ?? 0) + 1
    var rest = input.dropFirst()
    var reader = FrameReader(isRequest: size.isMultiple(of: 2), limit: 1_000)
    while !rest.isEmpty {
      guard let result = try? reader.append(Array(rest.prefix(size))) else {
        rest = rest.dropFirst(size)
        continue
      }
      let read = Array(input.dropFirst().prefix(input.count - 1 - rest.count + size))
      precondition(result.frame.bytes + result.rest == read, "remote-frame: bytes were lost")
      return
    }
  },
  FuzzTarget("remote-command", seeds: [Array(#"{"type":"send","command":"/u","retryNumber":0}"#.utf8)]) { input in
    if let command = try? RemoteCommand(jsonBytes: input) {
      precondition(
        (try? RemoteCommand(jsonBytes: command.jsonBytes())) == command, "remote-command: changed by a round trip")
    }
    guard let response = try? RemoteResponse(jsonBytes: input) else { return }
    precondition(
      (try? RemoteResponse(jsonBytes: response.jsonBytes())) == response, "remote-command: changed by a round trip")
  },
]
