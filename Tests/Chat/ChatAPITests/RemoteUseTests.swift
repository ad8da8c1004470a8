import ChatAPI
import Testing

/// Which commands desktops pass on to mobile devices.
@Suite struct RemoteUseTests {
  @Test(arguments: [
    "/_start", "/_start main=off", "/_stop", "/_app activate", "/_app suspend 100", "/quit", "/_temp_folder /tmp/a",
    "/_files_folder /tmp/a", "/remote_hosts_folder /tmp/a", "/_files_encrypt on",
    "/_db export {\"archivePath\":\"/tmp/a.zip\"}", "/_db import {\"archivePath\":\"/tmp/a.zip\"}", "/db export",
    "/_db delete", "/db encrypt key", "/db key old new", "/db decrypt key", "/network", "/sql slow",
    "/sql chat SELECT 1", "/sql agent SELECT 1", "/set device name phone", "/list remote hosts",
    "/start remote host new", "/switch remote host local", "/stop remote host new", "/delete remote host 1",
    "/store remote file 1 /tmp/a", "/connect remote ctrl xrcp:/a", "/find remote ctrl", "/confirm remote ctrl 1",
    "/verify remote ctrl 12345", "/list remote ctrls", "/stop remote ctrl", "/delete remote ctrl 1",
  ])
  func staysOnTheDevice(_ text: String) throws {
    #expect(try ChatCommand(parsing: text).remoteUse == .local)
  }

  @Test(arguments: [
    "/set file paths {\"appFilesFolder\":\"/a\",\"appTempFolder\":\"/b\",\"appAssetsFolder\":\"/c\"}", "/db test key a",
    "/network socks=on",
  ])
  func isRefusedByMobileDevices(_ text: String) throws {
    #expect(try ChatCommand(parsing: text).remoteUse == .refused)
  }

  @Test(arguments: ["/u", "/_get chats 1 pcc=off", "@bob hello", "/f @bob /tmp/a", "/version", "/_get app settings"])
  func isPassedOn(_ text: String) throws { #expect(try ChatCommand(parsing: text).remoteUse == .passedOn) }

  @Test(arguments: [
    ("/_send @1 json [{\"msgContent\":{\"type\":\"file\",\"text\":\"\"},\"fileSource\":{\"filePath\":\"a\"}}]", ["a"]),
    ("/f @bob /tmp/a", ["/tmp/a"]), ("/img #team /tmp/b", ["/tmp/b"]), ("/fd @bob /tmp/c", ["/tmp/c"]),
    ("/fr 1 /tmp/d", ["/tmp/d"]), ("/fr 1", []), ("@bob /tmp/e", []),
    ("/_upload 1 f", ["f"]),
  ])
  func namesPaths(_ text: String, _ paths: [String]) throws {
    #expect(try ChatCommand(parsing: text).localPaths == paths)
  }
}
