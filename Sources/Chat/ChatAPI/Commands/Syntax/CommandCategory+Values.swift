import FoundationTypes
import SimplexJSON
import WireCodec

// Arguments that occur in few commands.

extension CommandCategory {
  /// A password as a JSON string.
  static var password: Argument<String> { json("password").secret() }

  /// The passphrase of the databases: printable ASCII without spaces.
  static var databaseKey: Argument<String> { word("key") { $0.utf8.allSatisfy { 0x21...0x7E ~= $0 } }.secret() }

  /// Whether the address of a server has a password.
  @Sendable static func hasPassword(_ server: String) -> Bool {
    (try? ServerAddress(parsing: server))?.basicAuth.isEmpty == false
  }

  /// The address of a server.
  static func server(_ name: String) -> Argument<String> {
    word(name).compactMap({ PastedLink.server($0) }, { $0 }).secret(where: hasPassword)
  }
}

extension CommandCategory {
  static var receiptSettings: Argument<UserMsgReceiptSettings> {
    let clear = flag(" clear_overrides=")
    return Argument(
      "on|off\(clear.usage)",
      read: { (reader) throws(WireError) -> UserMsgReceiptSettings in
        UserMsgReceiptSettings(
          enable: try onOff.read(&reader), clearOverrides: try clear.read(&reader))
      },
      write: { settings, writer in
        onOff.write(settings.enable, &writer)
        clear.write(settings.clearOverrides, &writer)
      })
  }
}

/// The parts of the core to start besides receiving messages.
struct StartOptions: Hashable {
  var mainApp = true
  var enableSndFiles = true
}

extension CommandCategory {
  /// ` main=on snd_files=on`; the second is as the first unless said.
  static var startOptions: Argument<StartOptions> {
    Argument(
      "[ main=on|off[ snd_files=on|off]]",
      read: { (reader) throws(WireError) -> StartOptions in
        guard reader.take(" main=") else { return StartOptions() }
        let mainApp = try onOff.read(&reader)
        let sendFiles = try flag(" snd_files=", default: mainApp).read(&reader)
        return StartOptions(mainApp: mainApp, enableSndFiles: sendFiles)
      },
      write: { options, writer in
        onOff.after(" main=").write(options.mainApp, &writer)
        onOff.after(" snd_files=").write(options.enableSndFiles, &writer)
      })
  }
}

extension CommandCategory {
  /// ` ttl=<seconds>` or ` ttl=default`; absent means the same as `default`.
  static var ttl: Argument<Int?> {
    (number("seconds") as Argument<Int>).orDefault.optional(after: " ttl=", default: nil)
  }
}

extension CommandCategory {
  /// Seconds or `default`.
  static var secondsOrDefault: Argument<Int64?> { id("seconds").orDefault }
}

extension CommandCategory {
  /// A time in ISO-8601, as far as the next space or comma.
  static var time: Argument<Date> {
    Argument(
      "<time>",
      read: { (reader) throws(WireError) -> Date in
        let start = reader.offset
        let text = String(validating: reader.span { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ",") })
        guard let date = text.flatMap(Date.init(iso8601:)) else {
          throw WireError(.expected("a time such as 2026-01-31T12:00:00Z"), offset: start)
        }
        return date
      },
      write: { date, writer in writer.append(date.iso8601Text) })
  }
}

extension CommandCategory {
  static var pagination: Argument<ChatPagination> {
    Argument(
      "count=<n>|after=<itemId> count=<n>|before=<itemId> count=<n>|around=<itemId> count=<n>|initial=<n>",
      read: { (reader) throws(WireError) -> ChatPagination in
        let count: Argument<Int> = number("count")
        func item() throws(WireError) -> Int64 { try id("itemId").read(&reader) }
        func rest() throws(WireError) -> Int { try count.after(" count=").read(&reader) }
        if reader.take("count=") { return .last(count: try count.read(&reader)) }
        if reader.take("initial=") { return .initial(count: try count.read(&reader)) }
        if reader.take("after=") { return .after(chatItemId: try item(), count: try rest()) }
        if reader.take("before=") { return .before(chatItemId: try item(), count: try rest()) }
        if reader.take("around=") { return .around(chatItemId: try item(), count: try rest()) }
        throw reader.failure(.expected("count=, after=, before=, around= or initial="))
      },
      write: { pagination, writer in
        switch pagination {
        case .last(let count): writer.append("count=\(count)")
        case .after(let item, let count): writer.append("after=\(item) count=\(count)")
        case .before(let item, let count): writer.append("before=\(item) count=\(count)")
        case .around(let item, let count): writer.append("around=\(item) count=\(count)")
        case .initial(let count): writer.append("initial=\(count)")
        }
      })
  }
}

extension CommandCategory {
  static var paginationByTime: Argument<PaginationByTime> {
    Argument(
      "count=<n>|after=<time> count=<n>|before=<time> count=<n>",
      read: { (reader) throws(WireError) -> PaginationByTime in
        let count: Argument<Int> = number("count")
        func moment() throws(WireError) -> Date { try time.read(&reader) }
        func rest() throws(WireError) -> Int { try count.after(" count=").read(&reader) }
        if reader.take("count=") { return .last(count: try count.read(&reader)) }
        if reader.take("after=") { return .after(time: try moment(), count: try rest()) }
        if reader.take("before=") { return .before(time: try moment(), count: try rest()) }
        throw reader.failure(.expected("count=, after= or before="))
      },
      write: { pagination, writer in
        switch pagination {
        case .last(let count): writer.append("count=\(count)")
        case .after(let time, let count): writer.append("after=\(time.iso8601Text) count=\(count)")
        case .before(let time, let count): writer.append("before=\(time.iso8601Text) count=\(count)")
        }
      })
  }
}

extension CommandCategory {
  /// ` full`, ` entity` or ` messages`, the first two with ` notify=on`; nothing means ` full notify=on`.
  static var chatDeleteMode: Argument<ChatDeleteMode> {
    Argument(
      "[ full|entity|messages][ notify=on|off]",
      read: { (reader) throws(WireError) -> ChatDeleteMode in
        let notify = flag(" notify=", default: true)
        if reader.take(" messages") { return .messages }
        if reader.take(" entity") { return .entity(notify: try notify.read(&reader)) }
        _ = reader.take(" full")
        return .full(notify: try notify.read(&reader))
      },
      write: { mode, writer in
        switch mode {
        case .full(let notify): writer.append(" full notify=\(notify ? "on" : "off")")
        case .entity(let notify): writer.append(" entity notify=\(notify ? "on" : "off")")
        case .messages: writer.append(literal: " messages")
        }
      })
  }
}

extension CommandCategory {
  static var deviceToken: Argument<DeviceToken> {
    let provider = oneOf("provider", PushProvider.allCases)
    let token = word("hexadecimal token") { $0.utf8.allSatisfy(\.isHexDigit) }.after(" ")
    return Argument(
      provider.usage + token.usage,
      read: { (reader) throws(WireError) -> DeviceToken in
        DeviceToken(pushProvider: try provider.read(&reader), token: try token.read(&reader))
      },
      write: { token, writer in writer.append(token.cmdString) })
  }
}

extension CommandCategory {
  static var connMsgReq: Argument<ConnMsgReq> {
    Argument(
      "<connId>:<queueId>:<time>",
      read: { (reader) throws(WireError) -> ConnMsgReq in
        let connection = try Codec.base64url.decode(&reader)
        let queue = try id("queueId").after(":").read(&reader)
        let moment = try time.after(":").read(&reader)
        return ConnMsgReq(msgConnId: Base64URL.string(connection), msgDbQueueId: queue, msgTs: moment)
      },
      write: { request, writer in
        writer.append("\(request.msgConnId):\(request.msgDbQueueId):\(request.msgTs.iso8601Text)")
      })
  }
}

extension CommandCategory {
  static var groupOwner: Argument<GroupOwnerContact> {
    Argument(
      "contact=<contactId> owner=<memberId>",
      read: { (reader) throws(WireError) -> GroupOwnerContact in
        let contact = try id("contactId").after("contact=").read(&reader)
        return GroupOwnerContact(
          contactId: contact, memberId: try word("memberId").after(" owner=").read(&reader))
      },
      write: { owner, writer in writer.append("contact=\(owner.contactId) owner=\(owner.memberId)") })
  }
}

extension CommandCategory {
  /// ` resolve=on`: whether names are resolved. Version 7.0.2 has the names of modes instead, all but the last of
  /// which resolve.
  static var resolveMode: Argument<Bool> {
    word("on|off").compactMap(
      { ["on": true, "allGroups": true, "unknown": true, "off": false, "never": false][$0] }, { $0 ? "on" : "off" }
    ).omitted(after: " resolve=", when: false)
  }
}

extension CommandCategory {
  /// `key=<key> nonce=<nonce> ` for an encrypted file, and its path to the end.
  static var cryptoFile: Argument<CryptoFile> {
    Argument(
      "[key=<key> nonce=<nonce> ]<path>",
      read: { (reader) throws(WireError) -> CryptoFile in
        var ahead = reader
        var arguments: CryptoFileArgs?
        if ahead.take("key=") {
          let key = try word("key").read(&ahead)
          let nonce = try word("nonce").after(" nonce=").read(&ahead)
          guard ahead.take(" ") else { throw ahead.failure(.expected(" <path>")) }
          arguments = CryptoFileArgs(fileKey: key, fileNonce: nonce)
          reader = ahead
        }
        return CryptoFile(filePath: try text("path").read(&reader), cryptoArgs: arguments)
      },
      write: { file, writer in
        if let arguments = file.cryptoArgs {
          writer.append("key=\(arguments.fileKey) nonce=\(arguments.fileNonce) ")
        }
        writer.append(file.filePath)
      }, holdsSecret: { $0.cryptoArgs != nil })
  }
}
