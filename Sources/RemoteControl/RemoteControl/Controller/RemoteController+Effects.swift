import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexTransport

extension RemoteController {
  func execute(_ effects: [ControllerEffect], asking answer: Answer?) async {
    for case .store(let pairing) in effects {
      do {
        try await pairings.store(pairing)
      } catch {
        return await storeFailed(effects, "\(error)")
      }
    }
    // A `start` that is refused is answered in its own step, also while another one waits.
    var own = answer
    for effect in effects {
      switch effect {
      case .store: break
      case .listen(let number, let port, let credentials): await listen(number, port: port, credentials)
      case .stopListening(let number): await listeners.removeValue(forKey: number)?.stopAccepting()
      case .announce(let datagram): await announce(datagram)
      case .send(let number, let block): links[number]?.send(block)
      case .attach(let number, let cipher, let info): await attach(number, cipher: cipher, info: info)
      case .close(let number): close(number)
      case .answer(.start, let result):
        let asked = own.take() ?? waitingStart.take()
        asked?.resume(returning: result)
      case .answer(.stop, _): break
      case .report(let event):
        onEvent(event)
        // Not before: the events of the host follow.
        if case .connected = event { startPolling() }
      }
    }
    if let own { waitingStart = own }
  }

  /// The record was not stored, so nothing that depends on it may happen: the session ends. The record without the last
  /// key, which is stored when the host has answered, can be used as well.
  private func storeFailed(_ effects: [ControllerEffect], _ text: String) async {
    for effect in effects {
      switch effect {
      case .stopListening(let number): await listeners.removeValue(forKey: number)?.stopAccepting()
      case .close(let number): close(number)
      case .attach(let number, _, _):
        await step(.closed(number, .failed("the record was not stored: \(text)")))
        // The next session could not be stored either.
        await step(.stop)
      default: break
      }
    }
  }

  private func close(_ number: ConnectionNumber) {
    guard let link = links.removeValue(forKey: number) else { return }
    link.close()
    if number == connected { endRequests() }
  }

  private func endRequests() {
    polling?.cancel()
    polling = nil
    requests?.close()
    requests = nil
    hostInfo = nil
    connected = nil
  }

  // MARK: Listening

  private func listen(_ number: ConnectionNumber, port: UInt16?, _ credentials: RemoteCredentials) async {
    addresses = LocalAddress.all(preferred: preferredAddress)
    guard let first = addresses.first else {
      messages.yield(.input(.listenFailed(number, .noLocalAddress)))
      return
    }
    do {
      let server = try await server(port: port, credentials)
      listeners[number] = server
      let bound = UInt16(clamping: server.port)
      messages.yield(.input(.listening(number, host: .ipv4(first.address), port: bound)))
    } catch {
      messages.yield(.input(.listenFailed(number, .tlsStartFailed)))
    }
  }

  private func server(port: UInt16?, _ credentials: RemoteCredentials) async throws -> TransportServer {
    var tls = TLSServerConfiguration(credential: try credentials.sessionCredential(), applicationProtocols: [])
    tls.acceptsAuthority = { [acceptance] in acceptance.accepts($0) }
    var configuration = TransportServer.Configuration(host: nil, port: Int(port ?? 0), tls: tls)
    configuration.connectionLimit = RemoteLimits.connections
    // One device of the network cannot take all places.
    configuration.share = ConnectionShare(limit: RemoteLimits.connectionsOfADevice)
    configuration.handshakeLimit = RemoteLimits.handshakes
    configuration.handshakeTimeout = RemoteLimits.handshakeTime
    // Unlike a relay, a controller wants to learn soon that its one host is gone.
    configuration.keepAlive = .client
    return try await TransportServer.start(configuration) { [messages, acceptance] connection in
      let number = acceptance.nextNumber()
      messages.yield(.linked(number, connection))
      return HandshakeLink(connection) {
        messages.yield(.input(.block(number, $0)))
      } closed: {
        messages.yield(.input(.closed(number, $0)))
      }
    }
  }

  /// Notes that the device has got another address, while a host is waited for.
  func checkAddresses() async {
    guard !listeners.isEmpty else { return }
    let found = LocalAddress.all(preferred: preferredAddress)
    guard let first = found.first, found != addresses else { return }
    addresses = found
    await step(.addressChanged(.ipv4(first.address)))
  }

  private func announce(_ datagram: [UInt8]) async {
    do throws(RemoteControlError) {
      try await discovery.announce(datagram)
      announcementError = nil
    } catch {
      announcementError = error
    }
  }

  // MARK: Requests

  private func attach(_ number: ConnectionNumber, cipher: FrameCipher, info: HostAppInfo) async {
    guard let link = links[number] else { return }
    link.whenClosed { [messages] in messages.yield(.input(.closed(number, .ended))) }
    do {
      let connection = try await HTTP2Connection.attach(
        to: link, authority: "localhost", limits: RemoteLimits.http2)
      let requests = ControllerRequests(connection, FrameChannel(cipher, temporaryFolder: temporaryFolder))
      endRequests()
      self.requests = requests
      connected = number
      hostInfo = info
      messages.yield(.input(.attached(number)))
    } catch {
      // It is closed, which is reported.
    }
  }

  private func startPolling() {
    guard let connected, let requests else { return }
    let poll = EventPolling(number: connected, requests: requests, messages: messages, report: onRemoteEvent)
    polling = Task { await poll.run() }
  }
}
