/// How long files are at relays.
public enum ChunkLifetime {
  /// The time after which relays delete chunks, unless they are configured otherwise; in seconds. Nobody needs to know
  /// for longer how a file is received, or deleted there.
  public static let seconds: Int64 = 48 * 3600
}
