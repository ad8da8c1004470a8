import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServerCore
import WireCodec

/// Forwards commands of clients to other relays. Source: simplex-messaging.md, "Proxying sender commands".
struct Proxy: Sendable {
  private enum Kind {
    case session, command
  }

  /// The outcome of one request.
  private enum Outcome {
    case success, notReached, notCompatible, failed
  }

  let configuration: ProxyConfiguration
  let statistics: ServerStatistics
  let pool: RelayPool

  /// Answers PRXY: connects to the relay, and returns its key and certificates.
  ///
  /// - Parameter password: What the client needs to know; nil for nothing.
  func openSession(_ request: ProxyRequest, password: BasicAuth?) async -> BrokerMessage {
    guard password?.matches(request.basicAuth) != false else { return .err(.PROXY(proxyErr: .BASIC_AUTH)) }
    let link: RelayPool.Link
    do throws(SMPClientError) { link = try await pool.link(with: request.relay) } catch {
      count(.session, error.isTemporary ? .notReached : .failed, isOwn: configuration.isOwn(request.relay))
      return .err(ProtocolErrorType(opening: error))
    }
    do throws(SMPClientError) {
      let session = try await link.connection.proxySession()
      count(.session, .success, isOwn: link.isOwn)
      return .pkey(session)
    } catch {
      count(.session, .notCompatible, isOwn: link.isOwn)
      return .err(ProtocolErrorType(forwarding: error))
    }
  }

  /// Answers PFWD: forwards a command, and returns the relay's response.
  func forward(
    _ request: ForwardRequest, session: SessionID, correlation: CorrelationID
  ) async -> BrokerMessage {
    guard let link = await pool.link(of: session) else {
      count(.command, .notReached, isOwn: false)
      return .err(.PROXY(proxyErr: .NO_SESSION))
    }
    do throws(SMPClientError) {
      let response = try await link.connection.forward(request, correlation: correlation)
      count(.command, .success, isOwn: link.isOwn)
      return .pres(response)
    } catch {
      switch error {
      case .relay: count(.command, .success, isOwn: link.isOwn)
      case .transport(.version): count(.command, .notCompatible, isOwn: link.isOwn)
      default: count(.command, .failed, isOwn: link.isOwn)
      }
      return .err(ProtocolErrorType(forwarding: error))
    }
  }

  /// Counts the request and its outcome; also separately for the operator's own relays.
  private func count(_ kind: Kind, _ outcome: Outcome, isOwn: Bool) {
    let (all, own) =
      switch kind {
      case .session: (ProxyEvents.relays, ProxyEvents.ownRelays)
      case .command: (ProxyEvents.forwards, ProxyEvents.ownForwards)
      }
    for events in isOwn ? [all, own] : [all] {
      statistics.count(events.requests)
      switch outcome {
      case .success: statistics.count(events.successes)
      case .notReached: statistics.count(events.connectErrors)
      case .notCompatible: statistics.count(events.compatibilityErrors)
      case .failed: statistics.count(events.otherErrors)
      }
    }
  }
}

extension ProtocolErrorType {
  /// The error for a client when no session with another relay can be opened.
  ///
  /// One for everything that the network shows: whether an address is private, nothing listens there, somebody else
  /// answers or nobody does. What depends on the text of the address alone, or was said by the relay that it names,
  /// remains.
  init(opening error: SMPClientError) {
    switch error {
    case .noHost, .transport(.version): self.init(forwarding: error)
    default: self = .PROXY(proxyErr: .BROKER(brokerErr: .NETWORK(networkError: .failedError)))
    }
  }

  /// The error for a client when another relay cannot be reached or does not respond.
  init(forwarding error: SMPClientError) {
    let broker: BrokerErrorType
    switch error {
    case .relay(let error):
      self = .PROXY(proxyErr: .PROTOCOL(protocolErr: error))
      return
    case .crypto:
      self = .CRYPTO
      return
    case .overflow, .cancelled, .proxy:
      self = .INTERNAL
      return
    case .response(let error):
      let text = try? ProtocolErrorType.textCodec.encode(ProtocolErrorType(error))
      broker = .RESPONSE(respErr: text.map { String(decoding: $0, as: UTF8.self) } ?? "")
    case .unexpectedResponse(let keyword): broker = .UNEXPECTED(respErr: keyword)
    case .timeout: broker = .TIMEOUT
    case .network, .closed: broker = .NETWORK(networkError: .failedError)
    case .noHost: broker = .HOST
    case .transport(let error): broker = .TRANSPORT(transportErr: error)
    }
    self = .PROXY(proxyErr: .BROKER(brokerErr: broker))
  }
}

extension SMPClientError {
  /// Whether a retry may succeed.
  fileprivate var isTemporary: Bool {
    switch self {
    case .network, .timeout, .closed: true
    default: false
    }
  }
}
