import ChatAPI
import ChatStateTesting
import Foundation
import Testing

@testable import ChatTerminal

/// The lines about files, which are those of the reference where its tests read them.
@Suite struct FileViewTests {
  private let view = ChatView(user: Samples.user(), now: Samples.time(60))
  private let story = GroupStory()
  private let bob = Samples.contact(2, "bob", at: Samples.time(0))
  private let files = FileSamples()

  private func shown(_ event: ChatEvent) -> [String] { files.withoutTime(view.lines(event)) }

  private func shown(_ response: ChatResponse2) -> [String] { files.withoutTime(view.lines(.response2(response))) }

  private func newItem(_ item: AChatItem) -> [String] {
    shown(.newChatItems(user: Samples.user(), chatItems: [item]))
  }

  // MARK: Items

  @Test func items() {
    #expect(
      newItem(files.item(.directRcv, "hi, sending a file", .rcvInvitation)) == [
        "TIME bob> hi, sending a file", "TIME bob> sends file test.jpg (136.5 KiB / 139737 bytes)",
        "use /fr 1 [<dir>/ | <path>] to receive it",
      ])
    #expect(
      newItem(files.item(.directRcv, "", .rcvAccepted)) == [
        "TIME bob> sends file test.jpg (136.5 KiB / 139737 bytes)"
      ])
    #expect(
      newItem(files.item(.directSnd, "", .sndStored, path: "./x/test.jpg")) == [
        "TIME /f @bob ./x/test.jpg", "use /fc 1 to cancel sending",
      ])
    #expect(newItem(files.item(.directSnd, "", .sndStored)).isEmpty)
    // What it answers is shown with the name of the file where there is no text.
    var quoting = files.item(.directRcv, "", .rcvInvitation)
    quoting.chatItem.quotedItem = CIQuote(chatDir: .directSnd, sentAt: Samples.time(0), content: .text("hey bob"))
    #expect(newItem(quoting).prefix(2) == ["TIME bob> > hey bob", "      test.jpg"])
    var note = files.item(.localSnd, "", .sndStored, path: "test.jpg")
    note.chatInfo = .local(
      noteFolder: NoteFolder(
        noteFolderId: 1, userId: 1, createdAt: Samples.time(0), updatedAt: Samples.time(0), chatTs: Samples.time(0),
        favorite: false, unread: false))
    #expect(newItem(note) == ["TIME * file 1 (test.jpg)"])
    var voice = files.item(.directRcv, "", .rcvInvitation)
    voice.chatItem.content = .rcvMsgContent(msgContent: .voice(text: "", duration: 10))
    #expect(newItem(voice).first == "TIME bob> voice message (00:10)")
    #expect(newItem(voice).last == "use /fr 1 [<dir>/ | <path>] to receive it")
  }

  /// A person is not told to receive what was received, nor to cancel what was cancelled.
  @Test func itemsOfEarlier() {
    var person = view
    person.showsStatus = true
    for (direction, status, line) in [
      (.directRcv, .rcvComplete, "receiving file 1 (test.jpg) complete, path: x/test.jpg"),
      (.directRcv, .rcvTransfer(rcvProgress: 1, rcvTotal: 2), "receiving file 1 (test.jpg) progress 50% of 136.5 KiB"),
      (.directRcv, .rcvAborted, "use /fr 1 [<dir>/ | <path>] to receive it"),
      (.directSnd, .sndCancelled, "sending file 1 (test.jpg) cancelled"),
      (.directSnd, .sndComplete, "use /fc 1 to cancel sending"),
    ] as [(CIDirection, CIFileStatus, String)] {
      let item = files.item(direction, "", status, path: "x/test.jpg")
      #expect(person.item(item, showsEvents: true).last?.text == line)
      let hint = direction.sent ? "use /fc 1 to cancel sending" : "use /fr 1 [<dir>/ | <path>] to receive it"
      #expect(view.item(item, showsEvents: true).last?.text == hint)
    }
  }

  @Test func abortedFiles() {
    let item = files.item(.directRcv, "hi", .rcvAborted)
    #expect(
      shown(ChatEvent.chatItemUpdated(user: Samples.user(), chatItem: item)) == [
        "receiving file 1 (test.jpg) aborted, use /fr 1 to receive file"
      ])
    var edited = item
    edited.chatItem.meta.itemEdited = true
    #expect(shown(ChatEvent.chatItemUpdated(user: Samples.user(), chatItem: edited)) == ["TIME bob> [edited] hi"])
  }

  @Test func itemsOfGroups() {
    let received = files.item(.groupRcv(groupMember: story.bob), "", .rcvInvitation, in: story.team)
    #expect(newItem(received).first == "TIME #team bob> sends file test.jpg (136.5 KiB / 139737 bytes)")
    let sent = files.item(.groupSnd, "", .sndStored, path: "test.jpg", in: story.team)
    #expect(newItem(sent).first == "TIME /f #team test.jpg")
    #expect(
      shown(.sndFileCompleteXFTP(user: Samples.user(), chatItem: sent, fileTransferMeta: files.sent())) == [
        "completed uploading file 1 (test.jpg) for #team"
      ])
    let saved = files.item(.groupRcv(groupMember: story.bob), "", .rcvAccepted, path: "a/test.jpg", in: story.team)
    #expect(
      shown(ChatEvent.rcvFileAccepted(user: Samples.user(), chatItem: saved)) == [
        "saving file 1 from bob to a/test.jpg"
      ])
    let channel = files.item(.channelRcv, "", .rcvAccepted, path: "a/test.jpg", in: story.team)
    #expect(
      shown(.rcvFileComplete(user: Samples.user(), chatItem: channel)) == [
        "completed receiving file 1 (test.jpg) from #team"
      ])
  }

  @Test(
    arguments: [
      (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1_042_157, "1017.7 KiB"), (17_825_792, "17.0 MiB"),
      (5_368_709_120, "5.0 GiB"), (Int64.max, "8589934592.0 GiB"),
    ] as [(Int64, String)])
  func sizes(_ size: Int64, _ text: String) { #expect(ChatView.readable(size) == text) }

  // MARK: Transfers

  @Test func receiving() {
    let user = Samples.user()
    let item = files.item(.directRcv, "", .rcvAccepted, path: "./tmp/test.jpg")
    let transfer = files.received()
    #expect(
      shown(.rcvFileDescrReady(user: user, chatItem: item, rcvFileTransfer: transfer, rcvFileDescr: files.part)).isEmpty
    )
    #expect(
      shown(
        .rcvFileProgressXFTP(
          user: user, chatItem_: item, receivedSize: 1, totalSize: 2, rcvFileTransfer: transfer)
      ).isEmpty)
    #expect(
      shown(ChatEvent.rcvFileAccepted(user: user, chatItem: item)) == ["saving file 1 from bob to ./tmp/test.jpg"])
    #expect(shown(.rcvFileStart(user: user, chatItem: item)) == ["started receiving file 1 (test.jpg) from bob"])
    #expect(shown(.rcvFileComplete(user: user, chatItem: item)) == ["completed receiving file 1 (test.jpg) from bob"])
    for lines in [
      shown(ChatEvent.rcvFileAcceptedSndCancelled(user: user, rcvFileTransfer: transfer)),
      shown(.rcvFileSndCancelled(user: user, chatItem: item, rcvFileTransfer: transfer)),
      shown(ChatResponse2.rcvFileAcceptedSndCancelled(user: user, rcvFileTransfer: transfer)),
    ] {
      #expect(lines == ["bob cancelled sending file 1 (test.jpg)"])
    }
    #expect(
      shown(
        .rcvFileError(user: user, chatItem_: item, agentError: .FILE(fileErr: .NO_FILE), rcvFileTransfer: transfer))
        == ["error receiving file 1 (test.jpg) from bob", "FILE {fileErr = NO_FILE}"])
    #expect(
      shown(
        .rcvFileWarning(user: user, chatItem_: item, agentError: .FILE(fileErr: .NO_FILE), rcvFileTransfer: transfer)
      ).first == "warning: receiving file 1 (test.jpg) from bob")
    #expect(
      shown(ChatResponse2.rcvFileAccepted(user: user, chatItem: item)) == ["saving file 1 from bob to ./tmp/test.jpg"])
    #expect(
      shown(ChatResponse2.rcvFileCancelled(user: user, chatItem_: item, rcvFileTransfer: transfer)) == [
        "cancelled receiving file 1 (test.jpg) from bob"
      ])
  }

  /// Programs get the key of a file that is encrypted here as JSON, people in words.
  @Test func receivingEncrypted() {
    var item = files.item(.directRcv, "", .rcvComplete, path: "test.jpg")
    item.chatItem.file?.fileSource?.cryptoArgs = CryptoFileArgs(fileKey: "a2V5", fileNonce: "bm9uY2U=")
    let event = ChatEvent.rcvFileComplete(user: Samples.user(), chatItem: item)
    #expect(shown(event).last == #"{"fileKey":"a2V5","fileNonce":"bm9uY2U="}"#)
    var person = view
    person.showsStatus = true
    #expect(person.lines(event).last?.text == "encryption key: a2V5, nonce: bm9uY2U=")
    #expect(shown(.rcvFileStart(user: Samples.user(), chatItem: item)).count == 1)
  }

  @Test func sending() {
    let user = Samples.user()
    let item = files.item(.directSnd, "", .sndStored, path: "test.jpg")
    let transfer = files.inMessages("bob", .connected)
    #expect(
      shown(
        .sndFileProgressXFTP(
          user: user, chatItem_: item, fileTransferMeta: files.sent(), sentSize: 1, totalSize: 2)
      ).isEmpty)
    #expect(
      shown(.sndFileCompleteXFTP(user: user, chatItem: item, fileTransferMeta: files.sent())) == [
        "completed uploading file 1 (test.jpg) for bob"
      ])
    #expect(
      shown(.sndFileError(user: user, chatItem_: item, fileTransferMeta: files.sent(), errorMessage: "no relay")) == [
        "error uploading file 1 (test.jpg) for bob", "no relay",
      ])
    #expect(
      shown(.sndFileWarning(user: user, chatItem_: item, fileTransferMeta: files.sent(), errorMessage: "slow")) == [
        "warning: uploading file 1 (test.jpg) for bob", "slow",
      ])
    #expect(
      shown(.sndFileStart(user: user, chatItem: item, sndFileTransfer: transfer)) == [
        "started sending file 1 (test.jpg) to bob"
      ])
    #expect(
      shown(.sndFileComplete(user: user, chatItem: item, sndFileTransfer: transfer)) == [
        "completed sending file 1 (test.jpg) to bob"
      ])
    #expect(
      shown(.sndFileRcvCancelled(user: user, chatItem_: item, sndFileTransfer: transfer)) == [
        "bob cancelled receiving file 1 (test.jpg)"
      ])
    func cancelled(_ transfers: [SndFileTransfer]) -> [String] {
      shown(
        ChatResponse2.sndFileCancelled(
          user: user, chatItem_: item, fileTransferMeta: files.sent(), sndFileTransfers: transfers))
    }
    #expect(cancelled([]) == ["cancelled sending file 1 (test.jpg)"])
    #expect(
      cancelled([files.inMessages("bob", .new), files.inMessages("eve", .complete), files.inMessages("cath", .new)])
        == ["cancelled sending file 1 (test.jpg) to bob, cath"])
  }

  @Test func standalone() {
    let user = Samples.user()
    let (sent, received) = (files.sent(), files.received(from: ""))
    #expect(
      shown(ChatResponse2.sndStandaloneFileCreated(user: user, fileTransferMeta: sent)) == [
        "started standalone uploading file 1 (test.jpg)"
      ])
    var redirect = sent
    redirect.fileId = 2
    #expect(
      shown(.sndFileRedirectStartXFTP(user: user, fileTransferMeta: sent, redirectMeta: redirect)) == [
        "file 1 (test.jpg) uploaded, preparing redirect file 2"
      ])
    #expect(
      shown(
        .sndStandaloneFileComplete(user: user, fileTransferMeta: sent, rcvURIs: ["simplex:/file#1", "simplex:/file#2"]))
        == ["file 1 (test.jpg) upload complete. download with:", "simplex:/file#1", "simplex:/file#2"])
    #expect(
      shown(.sndStandaloneFileComplete(user: user, fileTransferMeta: sent, rcvURIs: [])) == [
        "file 1 (test.jpg) upload complete."
      ])
    #expect(
      shown(.sndFileError(user: user, fileTransferMeta: sent, errorMessage: "no")).first
        == "error standalone uploading file 1 (test.jpg)")
    #expect(
      shown(ChatResponse2.rcvStandaloneFileCreated(user: user, rcvFileTransfer: received)) == [
        "started standalone receiving file 1 (test.jpg)"
      ])
    #expect(
      shown(.rcvStandaloneFileComplete(user: user, targetPath: "x", rcvFileTransfer: received)) == [
        "completed standalone receiving file 1 (test.jpg)"
      ])
    #expect(
      shown(.rcvFileError(user: user, agentError: .FILE(fileErr: .SIZE), rcvFileTransfer: received)).first
        == "error standalone receiving file 1 (test.jpg)")
    #expect(
      shown(ChatResponse2.rcvFileCancelled(user: user, rcvFileTransfer: received)) == [
        "cancelled receiving file 1 (test.jpg)"
      ])
    #expect(shown(.standaloneFileInfo(fileMeta: nil)) == ["no file information in URI"])
    #expect(shown(.standaloneFileInfo(fileMeta: .object([.init("secret", .string("*"))]))) == [#"{"secret":"*"}"#])
  }

  /// A file of somebody whose direction of writing or cursor movements are part of its name changes no other line.
  @Test func hostileNames() {
    var item = files.item(.directRcv, "", .rcvInvitation)
    item.chatItem.file?.fileName = "a\u{1B}[2J\nbob> ok\u{202E}gpj.exe"
    let lines = newItem(item)
    #expect(lines.first == "TIME bob> sends file a[2Jbob> okgpj.exe (136.5 KiB / 139737 bytes)")
    #expect(lines.count == 2)
  }
}
