import SQLiteKit

/// The history of the schema of the relay's database. A released step is never changed.
enum QueueSchema {
  static let migrations = [
    SQLiteMigration(1, name: "0001_queues", sql: queues),
    SQLiteMigration(2, name: "0002_journal", sql: journal),
    SQLiteMigration(3, name: "0003_services", sql: services),
    SQLiteMigration(4, name: "0004_positions", sql: positions),
    SQLiteMigration(5, name: "0005_counts", sql: counts),
    SQLiteMigration(6, name: "0006_time", sql: time),
  ]

  // Queues have a number, so that the indexes are small and messages refer to them in 8 bytes. Messages form one tree
  // in the order of delivery; a quota mark is a message without body.
  private static let queues = """
    CREATE TABLE queues (
      number INTEGER PRIMARY KEY,
      recipient_id BLOB NOT NULL,
      sender_id BLOB NOT NULL,
      recipient_keys BLOB NOT NULL,
      delivery_secret BLOB NOT NULL,
      sender_key BLOB,
      mode INTEGER,
      status INTEGER NOT NULL DEFAULT 0,
      blocking BLOB,
      used_day INTEGER NOT NULL,
      service_id BLOB,
      link_id BLOB,
      notifier_id BLOB,
      notifier_key BLOB,
      notifier_secret BLOB,
      notifier_service_id BLOB
    ) STRICT;
    CREATE UNIQUE INDEX queues_recipient ON queues (recipient_id);
    CREATE UNIQUE INDEX queues_sender ON queues (sender_id);
    CREATE UNIQUE INDEX queues_link ON queues (link_id) WHERE link_id IS NOT NULL;
    CREATE UNIQUE INDEX queues_notifier ON queues (notifier_id) WHERE notifier_id IS NOT NULL;
    CREATE INDEX queues_notifier_service ON queues (notifier_service_id) WHERE notifier_service_id IS NOT NULL;
    CREATE TABLE link_data (
      queue INTEGER PRIMARY KEY,
      fixed BLOB NOT NULL,
      user BLOB NOT NULL
    ) STRICT;
    CREATE TABLE messages (
      queue INTEGER NOT NULL,
      position INTEGER NOT NULL,
      id BLOB NOT NULL,
      timestamp INTEGER NOT NULL,
      notify INTEGER NOT NULL,
      body BLOB,
      PRIMARY KEY (queue, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE services (
      id BLOB NOT NULL UNIQUE,
      role INTEGER NOT NULL,
      certificate_hash BLOB NOT NULL UNIQUE,
      created_day INTEGER NOT NULL
    ) STRICT;
    """

  // The last generation of the journal of messages that this database contains.
  private static let journal = """
    CREATE TABLE journal (applied INTEGER NOT NULL) STRICT;
    INSERT INTO journal VALUES (0);
    """

  // A service subscribes to all of its queues in one query.
  private static let services = """
    CREATE INDEX queues_service ON queues (service_id) WHERE service_id IS NOT NULL;
    """

  // Of the generation `applied`, this many pieces are contained (before: all), and every position up to the last one
  // was assigned.
  private static let positions = """
    ALTER TABLE journal ADD COLUMN pieces INTEGER NOT NULL DEFAULT 9223372036854775807;
    ALTER TABLE journal ADD COLUMN last_position INTEGER NOT NULL DEFAULT 0;
    UPDATE journal SET last_position = (SELECT coalesce(max(position), 0) FROM messages);
    """

  // The totals, so that nothing has to be counted while the relay runs; and the day on which a service was last used.
  // `QueueWriter` changes them once in each transaction.
  private static let counts = """
    ALTER TABLE services ADD COLUMN used_day INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE counts (
      queues INTEGER NOT NULL,
      messages INTEGER NOT NULL,
      notifiers INTEGER NOT NULL,
      service_queues INTEGER NOT NULL,
      service_notifiers INTEGER NOT NULL,
      recipient_services INTEGER NOT NULL,
      notifier_services INTEGER NOT NULL
    ) STRICT;
    INSERT INTO counts \(QueueSQL.countAll);
    """

  // The last time at which the relay is known to have run, in seconds since 1970: a clock that is far ahead of it
  // deletes nothing. Of earlier versions only the days are known on which queues were used.
  private static let time = """
    CREATE TABLE time (noted INTEGER) STRICT;
    INSERT INTO time SELECT max(used_day) * 86400 + 86399 FROM queues;
    """
}

/// The statements of the store, with the shape of their results in ``SQLiteRow`` extensions.
enum QueueSQL {
  private static let columns = """
    number, recipient_id, sender_id, recipient_keys, delivery_secret, sender_key, mode, status, blocking, used_day, \
    service_id, link_id, notifier_id, notifier_key, notifier_secret, notifier_service_id
    """
  static let allQueues = "SELECT \(columns) FROM queues"
  static let byNumber = "SELECT \(columns) FROM queues WHERE number = ?"
  static let byRecipient = "SELECT \(columns) FROM queues WHERE recipient_id = ?"
  static let bySender = "SELECT \(columns) FROM queues WHERE sender_id = ?"
  static let byNotifier = "SELECT \(columns) FROM queues WHERE notifier_id = ?"
  static let byLink = "SELECT \(columns) FROM queues WHERE link_id = ?"
  static let insertQueue = "INSERT INTO queues (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
  static let lastNumber = "SELECT max(number) FROM queues"
  static let secure = "UPDATE queues SET sender_key = ?2 WHERE number = ?1 AND (sender_key IS NULL OR sender_key = ?2)"
  static let setRecipientKeys = "UPDATE queues SET recipient_keys = ?2 WHERE number = ?1"
  static let setLinkID = "UPDATE queues SET link_id = ?2 WHERE number = ?1"
  static let setNotifier = """
    UPDATE queues SET notifier_id = ?2, notifier_key = ?3, notifier_secret = ?4, notifier_service_id = ?5 \
    WHERE number = ?1
    """
  static let setService = "UPDATE queues SET service_id = ?2 WHERE number = ?1"
  static let setNotifierService = """
    UPDATE queues SET notifier_service_id = ?2 WHERE number = ?1 AND notifier_id IS NOT NULL
    """
  static let setStatus = "UPDATE queues SET status = ?2, blocking = ?3 WHERE number = ?1"
  static let touch = "UPDATE queues SET used_day = ?2 WHERE number = ?1"
  static let deleteQueue = "DELETE FROM queues WHERE number = ?"
  static let linkData = "SELECT fixed, user FROM link_data WHERE queue = ?"
  static let putLinkData = "INSERT OR REPLACE INTO link_data (queue, fixed, user) VALUES (?, ?, ?)"
  static let deleteLinkData = "DELETE FROM link_data WHERE queue = ?"
  static let queueExists = "SELECT 1 FROM queues WHERE number = ?"
  static let positions = """
    SELECT position, body IS NULL, timestamp FROM messages WHERE queue = ? AND position > ? ORDER BY position
    """
  static let insertMessage = """
    INSERT INTO messages (queue, position, id, timestamp, notify, body) VALUES (?, ?, ?, ?, ?, ?)
    """
  static let firstMessage = """
    SELECT position, id, timestamp, notify, body FROM messages WHERE queue = ? AND position > ? \
    ORDER BY position LIMIT 1
    """
  // The same without the body, which is in other pages.
  static let firstHead = """
    SELECT id, timestamp, notify, body IS NULL FROM messages WHERE queue = ? AND position > ? ORDER BY position LIMIT 1
    """
  static let deleteFirstMessages = "DELETE FROM messages WHERE queue = ? AND position <= ?"
  static let deleteMessages = "DELETE FROM messages WHERE queue = ?"
  static let expireMessages = "DELETE FROM messages WHERE queue = ? AND position > ? AND timestamp < ?"
  static let nextQueueWithMessages = "SELECT min(queue) FROM messages WHERE queue > ?"
  static let messageCount = "SELECT count(*), max(position) FROM messages WHERE queue = ? AND position > ?"
  static let lastPosition = "SELECT max(position) FROM messages WHERE queue = ?"
  static let appliedJournal = "SELECT applied, pieces, last_position FROM journal"
  static let setAppliedJournal = "UPDATE journal SET applied = ?, pieces = ?, last_position = ?"
  static let notedTime = "SELECT noted FROM time"
  static let noteTime = "UPDATE time SET noted = ?"
  static let countQueues = "SELECT count(*) FROM queues"
  static let countMessages = "SELECT count(*) FROM messages"
  // All totals by counting, in the order of the columns of `counts`. The roles are the letters M and N.
  static let countAll = """
    SELECT (SELECT count(*) FROM queues), (SELECT count(*) FROM messages),
      (SELECT count(*) FROM queues WHERE notifier_id IS NOT NULL),
      (SELECT count(*) FROM queues WHERE service_id IS NOT NULL),
      (SELECT count(*) FROM queues WHERE notifier_service_id IS NOT NULL),
      (SELECT count(*) FROM services WHERE role = 77), (SELECT count(*) FROM services WHERE role = 78)
    """
  static let addToCounts = """
    UPDATE counts SET queues = queues + ?, messages = messages + ?, notifiers = notifiers + ?,
      service_queues = service_queues + ?, service_notifiers = service_notifiers + ?,
      recipient_services = recipient_services + ?, notifier_services = notifier_services + ?
    """
  static let counts = """
    SELECT queues, messages, notifiers, service_queues, service_notifiers, recipient_services, notifier_services
    FROM counts
    """
  static let serviceQueues = """
    SELECT number, recipient_id, delivery_secret, EXISTS (SELECT 1 FROM messages WHERE queue = number) FROM queues \
    WHERE service_id = ? AND number > ? ORDER BY number LIMIT ?
    """
  static let serviceNotifiers = """
    SELECT number, notifier_id, x'', 0 FROM queues WHERE notifier_service_id = ? AND number > ? ORDER BY number LIMIT ?
    """
  static let serviceByHash = "SELECT id, role, used_day FROM services WHERE certificate_hash = ?"
  static let insertService = """
    INSERT INTO services (id, role, certificate_hash, created_day, used_day) VALUES (?1, ?2, ?3, ?4, ?4)
    """
  static let useService = "UPDATE services SET used_day = ?2 WHERE certificate_hash = ?1"
  static let servicesOfQueue = """
    SELECT service_id IS NOT NULL, notifier_service_id IS NOT NULL, notifier_id FROM queues WHERE number = ?
    """
  static let nextServices = "SELECT id, used_day, role FROM services WHERE id > ? ORDER BY id LIMIT ?"
  static let serviceHasQueues = """
    SELECT EXISTS (SELECT 1 FROM queues WHERE service_id = ?1)
      OR EXISTS (SELECT 1 FROM queues WHERE notifier_service_id = ?1)
    """
  static let deleteService = "DELETE FROM services WHERE id = ?"
}
