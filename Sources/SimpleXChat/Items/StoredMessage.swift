import ChatStore

/// A message that the agent has not taken yet; the agent has messages of this name too.
typealias StoredMessage = OutgoingMessage
