import WireCodec

// Arguments of commands about servers and other devices.

extension CommandCategory {
  /// `name=<name> <address>`
  static var chatRelay: Argument<NewChatRelay> {
    let relayName = word("name").after("name=")
    let address = word("address").after(" ")
    return Argument(
      relayName.usage + address.usage,
      read: { (reader) throws(WireError) -> NewChatRelay in
        NewChatRelay(name: try relayName.read(&reader), address: try address.read(&reader))
      },
      write: { relay, writer in
        relayName.write(relay.name, &writer)
        address.write(relay.address, &writer)
      })
  }

  /// `<id>:on|off`, and `:smp=<roles>` and `:xftp=<roles>` where not for everything.
  static var operatorRoles: Argument<OperatorRoles> {
    let roles = Argument<OperatorRoles.Roles>(
      "off|storage|proxy|on",
      read: { (reader) throws(WireError) -> OperatorRoles.Roles in
        let start = reader.offset
        let word = String(validating: reader.span { $0.isASCIILetter }).flatMap(OperatorRoles.Roles.init(rawValue:))
        guard let word else { throw WireError(.expected("off, storage, proxy or on"), offset: start) }
        return word
      },
      write: { roles, writer in writer.append(roles.rawValue) })
    let smp = roles.omitted(after: ":smp=", when: .on)
    let xftp = roles.omitted(after: ":xftp=", when: .on)
    return Argument(
      "<operatorId>:on|off\(smp.usage)\(xftp.usage)",
      read: { (reader) throws(WireError) -> OperatorRoles in
        let operatorId = try id("operatorId").read(&reader)
        let isEnabled = try onOff.after(":").read(&reader)
        return OperatorRoles(
          operatorId: operatorId, enabled: isEnabled, smpRoles: try smp.read(&reader), xftpRoles: try xftp.read(&reader)
        )
      },
      write: { roles, writer in
        id("operatorId").write(roles.operatorId, &writer)
        onOff.after(":").write(roles.enabled, &writer)
        smp.write(roles.smpRoles, &writer)
        xftp.write(roles.xftpRoles, &writer)
      })
  }

  /// `socks=…`, and whatever else differs from the defaults, in this order.
  static var networkOptions: Argument<NetworkOptions> {
    let socks = word("on|off|address").after("socks=")
    let socksMode = oneOf("mode", SocksMode.allCases).optional(after: " socks-mode=")
    let hostMode = oneOf("mode", ["public": HostMode.publicHost, "onion": .onionViaSocks]).optional(
      after: " host-mode=")
    let required = isPresent(" required-host-mode")
    let proxy = oneOf("mode", SMPProxyMode.allCases).optional(after: " smp-proxy=")
    let fallback = oneOf("mode", ["no": SMPProxyFallback.prohibit, "protected": .allowProtected, "yes": .allow])
      .optional(after: " smp-proxy-fallback=")
    let webPort = oneOf("servers", SMPWebPortServers.allCases).optional(after: " smp-web-port-servers=")
    let timeout = (number("seconds") as Argument<Int>).optional(after: " timeout=")
    let log = onOff.omitted(after: " log=", when: false)
    return Argument(
      socks.usage + socksMode.usage + hostMode.usage + required.usage + proxy.usage + fallback.usage + webPort.usage
        + timeout.usage + log.usage,
      read: { (reader) throws(WireError) -> NetworkOptions in
        var options = NetworkOptions(socksProxy: try socks.read(&reader))
        options.socksMode = try socksMode.read(&reader)
        options.hostMode = try hostMode.read(&reader)
        options.requiredHostMode = try required.read(&reader)
        options.smpProxyMode = try proxy.read(&reader)
        options.smpProxyFallback = try fallback.read(&reader)
        options.smpWebPortServers = try webPort.read(&reader)
        if options.smpWebPortServers == nil, reader.take(" smp-web-port") { options.smpWebPortServers = .all }
        options.timeout = try timeout.read(&reader)
        options.logTLSErrors = try log.read(&reader)
        return options
      },
      write: { options, writer in
        socks.write(options.socksProxy, &writer)
        socksMode.write(options.socksMode, &writer)
        hostMode.write(options.hostMode, &writer)
        required.write(options.requiredHostMode, &writer)
        proxy.write(options.smpProxyMode, &writer)
        fallback.write(options.smpProxyFallback, &writer)
        webPort.write(options.smpWebPortServers, &writer)
        timeout.write(options.timeout, &writer)
        log.write(options.logTLSErrors, &writer)
      }, holdsSecret: { hasProxyPassword($0.socksProxy) })
  }

  /// Whether the address of a SOCKS proxy begins with a user name and a password.
  @Sendable static func hasProxyPassword(_ proxy: String?) -> Bool {
    proxy.flatMap { $0.firstIndex(of: "@") }.map { $0 > (proxy ?? "").startIndex } ?? false
  }

  /// `new`, or a known device and whether it is announced in the local network.
  static var remoteHostStart: Argument<RemoteHostStart> {
    let multicast = flag(" multicast=")
    return Argument(
      "new|<hostId>\(multicast.usage)",
      read: { (reader) throws(WireError) -> RemoteHostStart in
        if reader.take("new") { return .new }
        return .known(hostId: try id("hostId").read(&reader), multicast: try multicast.read(&reader))
      },
      write: { start, writer in
        switch start {
        case .new: writer.append(literal: "new")
        case .known(let host, let isMulticast):
          id("hostId").write(host, &writer)
          multicast.write(isMulticast, &writer)
        }
      })
  }

  /// `addr=<address> iface=<interface>`; an interface with spaces is a JSON string.
  static var controllerAddress: Argument<RCCtrlAddress> {
    Argument(
      "addr=<address> iface=<interface>",
      read: { (reader) throws(WireError) -> RCCtrlAddress in
        let address = try word("address").after("addr=").read(&reader)
        guard reader.take(" iface=") else { throw reader.failure(.expected("\" iface=\"")) }
        guard reader.take("\"") else {
          return RCCtrlAddress(address: address, interface: try word("interface").read(&reader))
        }
        let interface = String(validating: reader.span { $0 != UInt8(ascii: "\"") })
        guard let interface, reader.take("\"") else { throw reader.failure(.expected("\"")) }
        return RCCtrlAddress(address: address, interface: interface)
      },
      write: { address, writer in
        writer.append("addr=\(address.address) iface=")
        let needsQuotes = address.interface.contains(" ") || address.interface.isEmpty
        writer.append(needsQuotes ? "\"\(address.interface)\"" : address.interface)
      })
  }
}
