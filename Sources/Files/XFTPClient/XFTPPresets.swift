import SMPProtocol
import WireCodec

/// The public file relays that clients use by default.
public enum XFTPPresets {
  /// Their addresses.
  public static let servers: [ServerWithAuth<XFTPScheme>] = [
    "da1aH3nOT-9G8lV7bWamhxpDYdJ1xmW7j3JpGaDR5Ug=@xftp1.simplex.im",
    "5vog2Imy1ExJB_7zDZrkV1KDWi96jYFyy9CL6fndBVw=@xftp2.simplex.im",
    "PYa32DdYNFWi0uZZOprWQoQpIk5qyjRJ3EF7bVpbsn8=@xftp3.simplex.im",
    "k_GgQl40UZVV0Y4BX9ZTyMVqX5ZewcLW0waQIl7AYDE=@xftp4.simplex.im",
    "-bIo6o8wuVc4wpZkZD3tH-rCeYaeER_0lz1ffQcSJDs=@xftp5.simplex.im",
    "6nSvtY9pJn6PXWTAIMNl95E1Kk1vD7FM2TeOA64CFLg=@xftp6.simplex.im",
  ].compactMap { try? ServerWithAuth<XFTPScheme>.textCodec.decode(text: "xftp://" + $0) }
}
