import ChatAPI

extension ItemsModel {
  /// Opens a chat. Its items begin to load at once; the chat is shown when they are there, or after 250 ms.
  ///
  /// - Parameter willNavigate: Called right before the chat is shown.
  public func loadOpenChat(_ chatId: ChatId, willNavigate: @escaping @MainActor () -> Void = {}) {
    stopLoading()
    isLoading = true
    navigation = Task { [model] in
      do { try await model.clock.sleep(for: .milliseconds(250)) } catch { return }
      model.chatId = chatId
      willNavigate()
    }
    loading = Task {
      await loadChat(chatId)
      guard !Task.isCancelled else { return }
      isLoading = false
      showLoadingProgress = nil
    }
  }

  /// Opens a chat as soon as its items are loaded, around an item if one is given.
  public func loadOpenChatNoWait(_ chatId: ChatId, _ openAroundItemId: Int64? = nil) {
    stopLoading()
    loading = Task { await loadChat(chatId, around: openAroundItemId, opening: true) }
  }

  /// Loads nothing more for a chat that is left.
  func stopLoading() {
    navigation?.cancel()
    loading?.cancel()
    opened += 1
  }

  /// Opens a part of a chat in a secondary instance.
  @discardableResult
  public static func loadSecondaryChat(
    _ chatId: ChatId, chatFilter: SecondaryItemsModelFilter, in model: ChatModel = .shared,
    willNavigate: @escaping @MainActor () -> Void = {}
  ) -> ItemsModel {
    let items = ItemsModel(model, filter: chatFilter)
    model.secondaryIM = items
    model.update { state in
      state.secondary = SecondaryItems(filter: chatFilter)
      state.changes.insert(.secondary)
    }
    items.loadOpenChat(chatId, willNavigate: willNavigate)
    return items
  }

  /// Waits until what is being loaded is there.
  public func loaded() async { await loading?.value }

  /// Loads the items that are shown first: around the first unread one, around a given one, or the last ones found.
  public func loadChat(
    _ chatId: ChatId, contentTag: MsgContentTag? = nil, search: String = "", around itemId: Int64? = nil
  ) async {
    await loadChat(chatId, contentTag: contentTag, search: search, around: itemId, opening: itemId != nil)
  }

  private func loadChat(
    _ chatId: ChatId, contentTag: MsgContentTag? = nil, search: String = "", around itemId: Int64?, opening: Bool
  ) async {
    let count = Self.itemsPerPage
    let pagination: ChatPagination =
      if let itemId {
        .around(chatItemId: itemId, count: count)
      } else if contentTag == nil && self.contentTag == nil && search.isEmpty {
        .initial(count: count)
      } else {
        .last(count: count)
      }
    await loadMessages(
      chatId, pagination, contentTag: contentTag, search: search, openAround: itemId, opening: opening,
      startingAnew: true)
  }

  /// Loads more items of the open chat.
  ///
  /// - Parameter visible: Positions of the visible items, oldest first; items far from them may be dropped.
  public func loadMore(_ pagination: ChatPagination, visible: ClosedRange<Int>? = nil) async {
    guard let chatId = model.state.open.chatId, !preloadState.preloading else { return }
    preloadState.preloading = true
    await loadMessages(chatId, pagination, visible: visible)
    preloadState.preloading = false
  }

  private func loadMessages(
    _ chatId: ChatId, _ pagination: ChatPagination, contentTag: MsgContentTag? = nil, search: String = "",
    openAround: Int64? = nil, opening: Bool = false, visible: ClosedRange<Int>? = nil, startingAnew: Bool = false
  ) async {
    let command = ChatCommand.apiGetChat(
      chatId: chatId, scope: groupScopeInfo?.toChatScope(), contentTag: contentTag ?? self.contentTag,
      pagination: pagination, search: search)
    let (opened, place) = (opened, place)
    await model.result(of: command) { (result: APIResult<ChatResponse0>) in
      let model = self.model
      // Another chat may have been opened, or this one closed.
      guard opened == self.opened else { return }
      guard case .result(.apiChat(_, let chat, let navigation)) = result else {
        model.onEffect(.failed(result.unexpected))
        return
      }
      if !startingAnew && !model.state.shows(chat.id, in: place) { return }
      if startingAnew { self.preloadState.clear() }
      let now = model.now()
      model.update { state in
        state.withItems(in: place) { items in
          if startingAnew { items.clear() }
          items.merge(chat, by: pagination, navigation: navigation)
          if let visible { items.trim(visible: visible) }
        }
        guard place == .primary, startingAnew else { return }
        if state.chats.contains(chat.id) {
          state.updateChatInfo(chat.chatInfo, at: now)
        } else {
          state.addChat(ChatEntry(chatInfo: chat.chatInfo, chatItems: chat.chatItems.suffix(1), created: now))
        }
        if let openAround {
          state.open.openAroundItemId = openAround
          state.changes.insert(.open)
        }
        if opening { state.setChatId(chat.id) }
      }
    }
  }
}

extension ChatModel {
  /// Leaves the open chat and forgets its items.
  public func closeChat() {
    im.stopLoading()
    secondaryIM?.stopLoading()
    secondaryIM = nil
    update { state in
      state.setChatId(nil)
      state.open.openAroundItemId = nil
      state.open.chatAgentConnId = nil
      state.open.chatSubStatus = nil
      state.items.clear()
      state.items.chatId = nil
      state.secondary = nil
      state.members.clear()
      for part in [AppState.Part.open, .items, .secondary, .members] { state.changes.insert(part) }
    }
  }
}
