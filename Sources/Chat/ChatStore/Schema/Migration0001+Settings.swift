extension Migration0001 {
  static let settings = """
    CREATE TABLE settings (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE servers (
      server_id INTEGER PRIMARY KEY,
      user_id INTEGER NOT NULL,
      protocol TEXT NOT NULL,
      address TEXT NOT NULL,
      preset INTEGER NOT NULL,
      tested INTEGER,
      enabled INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (user_id, protocol, address)
    ) STRICT;

    CREATE TABLE chat_relays (
      relay_id INTEGER PRIMARY KEY,
      user_id INTEGER NOT NULL,
      address TEXT NOT NULL,
      profile TEXT NOT NULL,
      domains TEXT NOT NULL,
      preset INTEGER NOT NULL,
      tested INTEGER,
      enabled INTEGER NOT NULL,
      deleted INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (user_id, address)
    ) STRICT;

    CREATE TABLE operators (
      operator_id INTEGER PRIMARY KEY,
      tag TEXT UNIQUE,
      trade_name TEXT NOT NULL,
      legal_name TEXT,
      domains TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      smp_roles TEXT NOT NULL,
      xftp_roles TEXT NOT NULL
    ) STRICT;

    CREATE TABLE usage_conditions (
      conditions_id INTEGER PRIMARY KEY,
      document TEXT NOT NULL UNIQUE,
      notified_at INTEGER,
      created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE accepted_conditions (
      acceptance_id INTEGER PRIMARY KEY,
      operator_id INTEGER NOT NULL,
      document TEXT NOT NULL,
      accepted_at INTEGER,
      automatically INTEGER NOT NULL DEFAULT 0,
      UNIQUE (operator_id, document)
    ) STRICT;

    -- Rows of imported profiles whose features are not there yet, as they were.
    CREATE TABLE foreign_rows (
      row_id INTEGER PRIMARY KEY,
      -- 0 the chat database, 1 the agent's
      database INTEGER NOT NULL,
      table_name TEXT NOT NULL
    ) STRICT;
    CREATE TABLE foreign_values (
      row_id INTEGER NOT NULL,
      column_name TEXT NOT NULL,
      value ANY NOT NULL,
      PRIMARY KEY (row_id, column_name)
    ) STRICT, WITHOUT ROWID;

    """
}
