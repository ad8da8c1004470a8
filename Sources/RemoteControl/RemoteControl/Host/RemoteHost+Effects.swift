import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexTransport
import Synchronization

extension RemoteHost {
  func execute(_ effects: [HostEffect], asking command: (HostCommand, Answer)?) async {
    var command = command
    for case .store(let pairing) in effects {
      do {
        try await pairings.store(pairing)
      } catch {
        return await storeFailed(effects, "\(error)", asking: command)
      }
    }
    for effect in effects {
      switch effect {
      case .store: break
      case .listen:
        do throws(RemoteControlError) {
          try await listen()
        } catch {
          return await listenFailed(error, asking: command)
        }
      case .stopListening: await stopListening()
      case .connect(let number, let invitation, let credentials):
        attempts[number] = connectTask(number, invitation, credentials: credentials)
      case .send(let number, let block): links[number]?.send(block)
      case .serve(let number, let cipher): await serve(number, cipher)
      case .close(let number): close(number)
      case .answer(let answered, let result): answer(answered, result, asking: &command)
      case .report(let event): onEvent(event)
      }
    }
    guard let (asked, answer) = command else { return }
    if asked == .verify, waitingVerify == nil {
      waitingVerify = answer
    } else {
      answer.resume(returning: .failure(.inactive))
    }
  }

  private func answer(
    _ answered: HostCommand, _ result: Result<HostAnswer, RemoteSessionError>,
    asking command: inout (HostCommand, Answer)?
  ) {
    if let (asked, answer) = command, asked == answered {
      command = nil
      answer.resume(returning: result)
    } else if answered == .verify, let answer = waitingVerify {
      waitingVerify = nil
      answer.resume(returning: result)
    }
  }

  private func close(_ number: ConnectionNumber) {
    attempts.removeValue(forKey: number)?.cancel()
    links.removeValue(forKey: number)?.close()
  }

  // MARK: Failures of the device

  /// A record was not stored, so nothing that depends on it may happen: the session ends.
  private func storeFailed(_ effects: [HostEffect], _ text: String, asking command: (HostCommand, Answer)?) async {
    let error = RemoteSessionError.control(.exception("the record of the controller was not stored: \(text)"))
    waitingVerify?.resume(returning: .failure(error))
    waitingVerify = nil
    command?.1.resume(returning: .failure(error))
    for case .send(let number, _) in effects { await step(.closed(number, .failed(text)), asking: nil) }
    for case .serve(let number, _) in effects { await step(.closed(number, .failed(text)), asking: nil) }
  }

  /// The group cannot be joined: the search ends.
  private func listenFailed(_ error: RemoteControlError, asking command: (HostCommand, Answer)?) async {
    let state = session.state
    await step(.stop, asking: nil)
    if let command {
      command.1.resume(returning: .failure(.control(error)))
    } else if let state {
      onEvent(.stopped(state, .discoveryFailed(.control(error))))
    }
  }

  // MARK: Announcements

  private func listen() async throws(RemoteControlError) {
    await stopListening()
    let waiting = PendingDatagrams()
    listener = try await discovery.listen { [messages] datagram, source in
      guard waiting.add() else { return }
      messages.yield(.datagram(datagram, from: source, waiting))
    }
  }

  private func stopListening() async {
    await listener?.stop()
    listener = nil
  }

  // MARK: Connections

  private func connectTask(
    _ number: ConnectionNumber, _ invitation: RemoteInvitation, credentials: RemoteCredentials
  ) -> Task<Void, Never> {
    Task { [messages] in
      do {
        let credential = try credentials.sessionCredential()
        let client = try TransportClient(TLSClientConfiguration(applicationProtocols: [], credential: credential))
        var options = TransportClient.Options()
        options.timeout = .milliseconds(HostSession.Times.connecting)
        _ = try await client.connect(
          host: invitation.host.description, port: Int(invitation.port),
          policy: .pair(authority: invitation.controller.bytes), options: options
        ) { connection in
          messages.yield(.linked(number, connection))
          return HandshakeLink(connection) {
            messages.yield(.input(.block(number, $0)))
          } closed: {
            messages.yield(.input(.closed(number, $0)))
          }
        }
      } catch let error as TransportError {
        messages.yield(.input(.closed(number, ConnectionFailure(error))))
      } catch {
        messages.yield(.input(.closed(number, .failed("\(error)"))))
      }
    }
  }

  private func serve(_ number: ConnectionNumber, _ cipher: FrameCipher) async {
    guard let connection = links[number] else { return }
    let requests = HostRequests(FrameChannel(cipher, temporaryFolder: temporaryFolder), handler: handler) {
      [messages] in messages.yield(.input(.request(number)))
    }
    connection.whenClosed { [messages] in messages.yield(.input(.closed(number, .ended))) }
    // A failure closes the connection, which is reported.
    try? await HTTP2Server.attach(to: connection, limits: RemoteLimits.http2, handler: requests)
  }
}

/// The number of datagrams that wait to be handled.
final class PendingDatagrams: Sendable {
  private let count = Atomic(0)

  /// Adds one; false where there are too many.
  func add() -> Bool {
    guard count.load(ordering: .relaxed) < RemoteLimits.datagrams else { return false }
    count.add(1, ordering: .relaxed)
    return true
  }

  /// Removes one.
  func remove() { count.subtract(1, ordering: .relaxed) }
}
