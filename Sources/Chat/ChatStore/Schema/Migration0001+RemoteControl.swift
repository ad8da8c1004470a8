extension Migration0001 {
  /// Private keys are PKCS #8 and public ones SubjectPublicKeyInfo, both DER (RFC 8410); fingerprints have 32 bytes.
  static let remoteControl = """
    -- Desktops that control this device.
    CREATE TABLE remote_controllers (
      remote_ctrl_id INTEGER PRIMARY KEY AUTOINCREMENT,
      device_name TEXT NOT NULL,
      -- of the desktop's authority
      fingerprint BLOB NOT NULL UNIQUE,
      -- the desktop's key that signs in all sessions
      identity_key BLOB NOT NULL,
      -- this device's authority for the desktop
      ca_certificate BLOB NOT NULL,
      ca_key BLOB NOT NULL,
      -- of the last complete session; NULL for a pairing that is not complete
      current_key BLOB,
      previous_key BLOB,
      -- of a session that is not complete
      pending_key BLOB
    ) STRICT;

    -- Mobile devices that this one controls.
    CREATE TABLE remote_hosts (
      remote_host_id INTEGER PRIMARY KEY AUTOINCREMENT,
      device_name TEXT NOT NULL,
      -- of the device's authority
      fingerprint BLOB NOT NULL UNIQUE,
      -- of this desktop's authority for the device, which follows
      ca_fingerprint BLOB NOT NULL UNIQUE,
      ca_certificate BLOB NOT NULL,
      ca_key BLOB NOT NULL,
      -- this desktop's key that signs in all sessions
      identity_key BLOB NOT NULL,
      -- of the last session of which the device stored its key; NULL before the first
      current_key BLOB,
      -- of the last HELLO, until the device has answered a request
      pending_key BLOB,
      -- name of the folder of its files
      folder TEXT NOT NULL,
      -- where the user wants this desktop to be found
      bind_address TEXT,
      bind_interface TEXT,
      port INTEGER
    ) STRICT;

    -- Files that desktops stored on this device, until it is known whether they are in an item.
    CREATE TABLE remote_uploads (
      -- in the folder of files
      path TEXT PRIMARY KEY,
      stored_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX remote_uploads_stored_at ON remote_uploads (stored_at);

    """
}
