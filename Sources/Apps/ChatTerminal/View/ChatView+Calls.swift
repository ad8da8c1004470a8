import ChatAPI
import SimplexJSON
import WireCodec

// Calls. Sound and pictures are the work of a browser, which a link tells what to do.
extension ChatView {
  /// The lines of events of calls; nil for other events.
  func callLines(_ event: ChatEvent) -> [StyledText]? {
    switch event {
    case .callInvitation(let call):
      of(
        call.user,
        inBrowser(
          "\(name(call.contact)) wants to connect with you via WebRTC \(words(call.callType))",
          "To accept the call, please open the link below in your browser", type: call.callType,
          command: .start(media: call.callType.media, key: call.sharedKey), contact: call.contact))
    case .callOffer(let user, let contact, let type, let offer, let key, _):
      of(
        user,
        inBrowser(
          "\(name(contact)) accepted your WebRTC \(words(type))",
          "To connect, please open the link below in your browser", type: type,
          command: .offer(offer, media: type.media, key: key), contact: contact))
    case .callAnswer(let user, let contact, let answer):
      of(
        user,
        [
          "\(name(contact)) continued the WebRTC call",
          "To connect, please paste the data below in your browser window you opened earlier and click Connect button",
          "", StyledText(BrowserCommand.answer(answer).jsonText()),
        ])
    case .callExtraInfo: []
    case .callEnded(let user, let contact): of(user, "call with \(name(contact)) ended")
    default: nil
    }
  }

  private func words(_ type: CallType) -> String {
    "\(type.media.rawValue) call (\(type.capabilities.encryption ? "" : "not ")e2e encrypted)"
  }

  private func inBrowser(
    _ first: StyledText, _ second: String, type: CallType, command: BrowserCommand, contact: Contact
  ) -> [StyledText] {
    let browsers =
      type.capabilities.encryption
      ? " (only Chrome and Safari support e2e encryption for WebRTC, Safari may require enabling WebRTC insertable streams)"
      : ""
    var query = QueryString()
    query.append("command", command.jsonText())
    query.append("contact_id", "\(contact.contactId)")
    // Every text can be percent-encoded.
    let encoded = (try? QueryString.codec.encode(query)) ?? []
    return [
      first, StyledText(second + browsers), "",
      StyledText("https://simplex.chat/call#" + String(decoding: encoded, as: UTF8.self)),
    ]
  }
}

/// A command for a web page that has the media of a call.
private enum BrowserCommand: JSONEncodable {
  case start(media: CallMediaType, key: String?)
  case offer(WebRTCSession, media: CallMediaType, key: String?)
  case answer(WebRTCSession)

  func encode(to json: inout JSONWriter) {
    json.beginObject()
    switch self {
    case .start(let media, let key):
      json.field("type", "start")
      encode(media, key, to: &json)
    case .offer(let session, let media, let key):
      json.field("type", "offer")
      json.field("offer", session.rtcSession)
      json.field("iceCandidates", session.rtcIceCandidates)
      encode(media, key, to: &json)
    case .answer(let session):
      json.field("type", "answer")
      json.field("answer", session.rtcSession)
      json.field("iceCandidates", session.rtcIceCandidates)
    }
    json.endObject()
  }

  private func encode(_ media: CallMediaType, _ key: String?, to json: inout JSONWriter) {
    json.field("media", media.rawValue)
    json.field("aesKey", key)
    json.field("useWorker", true)
  }
}
