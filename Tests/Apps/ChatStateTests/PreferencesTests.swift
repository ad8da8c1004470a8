import ChatAPI
import Observation
import Testing

@testable import ChatState

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite @MainActor struct PreferencesTests {
  private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("prefs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  @Test func `Defaults hold until something is set, and again when it is reset`() {
    let preferences = Preferences(MemoryPreferenceStore())
    #expect(preferences[AppDefaults.DEFAULT_LA_LOCK_DELAY] == 30)
    #expect(!preferences.isSet(AppDefaults.DEFAULT_LA_LOCK_DELAY))
    preferences[AppDefaults.DEFAULT_LA_LOCK_DELAY] = 60
    #expect(preferences[AppDefaults.DEFAULT_LA_LOCK_DELAY] == 60)
    preferences.reset(AppDefaults.DEFAULT_LA_LOCK_DELAY)
    #expect(preferences[AppDefaults.DEFAULT_LA_LOCK_DELAY] == 30)
  }

  @Test func `A value of another version or type is as if nothing was set`() {
    let preferences = Preferences(
      MemoryPreferenceStore([
        "onboardingStage": .string("step9_Future"), "privacyAcceptImages": .string("yes"),
        "currentThemeIds": .string("["),
        "developerTools": .integer(1),
      ]))
    #expect(preferences[onboardingStageDefault] == .onboardingComplete)
    #expect(preferences[AppDefaults.DEFAULT_PRIVACY_ACCEPT_IMAGES])
    #expect(preferences[currentThemeIdsDefault].value.isEmpty)
    #expect(preferences[AppDefaults.DEFAULT_DEVELOPER_TOOLS])
  }

  @Test func `Who read a preference is told when it changes, and not of others`() {
    let preferences = Preferences(MemoryPreferenceStore())
    var told = 0
    withObservationTracking {
      _ = preferences[AppDefaults.DEFAULT_CHAT_ITEM_TAIL]
    } onChange: {
      MainActor.assumeIsolated { told += 1 }
    }
    preferences[AppDefaults.DEFAULT_CHAT_ITEM_ROUNDNESS] = 0.5
    #expect(told == 0)
    preferences[AppDefaults.DEFAULT_CHAT_ITEM_TAIL] = false
    #expect(told == 1)
  }

  @Test func `A file keeps values of all types, with mode 0600`() throws {
    try withFolder { folder in
      let path = "\(folder)/config/app.json"
      let preferences = Preferences(try FilePreferenceStore(path: path))
      preferences[AppDefaults.DEFAULT_LA_MODE] = .passcode
      preferences[AppDefaults.DEFAULT_CHAT_ITEM_ROUNDNESS] = 0.1
      preferences[AppDefaults.DEFAULT_WEBRTC_ICE_SERVERS] = ["stun:a", "turn:\"b\""]
      preferences[AppDefaults.DEFAULT_CHAT_ARCHIVE_TIME] = Date(timeIntervalSinceReferenceDate: 1234.5)
      preferences[currentThemeIdsDefault] = JSONPreference(["LIGHT": "id"])
      #expect(preferences.lastError == nil)
      let again = Preferences(try FilePreferenceStore(path: path))
      #expect(again[AppDefaults.DEFAULT_LA_MODE] == .passcode)
      #expect(again[AppDefaults.DEFAULT_CHAT_ITEM_ROUNDNESS] == 0.1)
      #expect(again[AppDefaults.DEFAULT_WEBRTC_ICE_SERVERS] == ["stun:a", "turn:\"b\""])
      #expect(again[AppDefaults.DEFAULT_CHAT_ARCHIVE_TIME] == Date(timeIntervalSinceReferenceDate: 1234.5))
      #expect(again[currentThemeIdsDefault].value == ["LIGHT": "id"])
      again[AppDefaults.DEFAULT_WEBRTC_ICE_SERVERS] = nil
      #expect(!again.isSet(AppDefaults.DEFAULT_WEBRTC_ICE_SERVERS))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect("\(mode ?? 0)" == "\(0o600)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/config") == ["app.json"])
    }
  }

  @Test func `A file that holds something else is an error, and stays`() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = "\(folder)/app.json"
      for text in ["not json", "[1]", "{\"a\":"] {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: PreferenceError.damaged(path: path)) { try FilePreferenceStore(path: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
      }
    }
  }

  @Test func `A file that cannot be written leaves the value as it was`() throws {
    let preferences = Preferences(try FilePreferenceStore(path: "/proc/nowhere/app.json"))
    preferences[AppDefaults.DEFAULT_DEVELOPER_TOOLS] = true
    #expect(!preferences[AppDefaults.DEFAULT_DEVELOPER_TOOLS])
    guard case .file = preferences.lastError else { throw Failure("no error") }
  }

  @Test func `Secrets are kept in a file where there is no secret service`() throws {
    try withFolder { folder in
      let environment = ["HOME": folder, "XDG_CONFIG_HOME": "relative/is/invalid", "XDG_DATA_HOME": "\(folder)/data"]
      let preferences = try AppPreferences.files(environment: environment)
      try preferences.secrets.set("passphrase", kcDatabasePassword)
      preferences.group[appStateGroupDefault] = .suspended
      let again = try AppPreferences.files(environment: environment)
      #expect(try again.secrets.get(kcDatabasePassword) == "passphrase")
      #expect(try again.secrets.get(kcAppPassword) == nil)
      #expect(again.group[appStateGroupDefault] == .suspended)
      try again.secrets.remove(kcDatabasePassword)
      #expect(try again.secrets.get(kcDatabasePassword) == nil)
      #expect(FileManager.default.fileExists(atPath: "\(folder)/.config/simplex/group.json"))
      #expect(FileManager.default.fileExists(atPath: "\(folder)/data/simplex/secrets.json"))
    }
  }

  @Test func `The secret service is used through its tool, with secrets in pipes only`() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // Stands for secret-tool: keeps secrets in files named by their attributes, and notes its arguments.
      let script = """
        #!/bin/sh
        echo "$@" >> \(folder)/arguments
        case "$1" in
        store) shift 2; cat > "\(folder)/$2-$4" ;;
        lookup) cat "\(folder)/$3-$5" 2>/dev/null || exit 1 ;;
        clear) rm "\(folder)/$3-$5" 2>/dev/null || exit 1 ;;
        esac
        """
      try Data(script.utf8).write(to: URL(fileURLWithPath: "\(folder)/secret-tool"))
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(folder)/secret-tool")
      let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/none", "PATH": "/nowhere:\(folder)"]
      let store = try #require(SecretServiceStore(application: "simplex", environment: environment))
      #expect(try store.get(kcAppPassword) == nil)
      try store.set("hunter2", kcAppPassword)
      #expect(try store.get(kcAppPassword) == "hunter2")
      try store.remove(kcAppPassword)
      #expect(try store.get(kcAppPassword) == nil)
      let arguments = try String(contentsOfFile: "\(folder)/arguments", encoding: .utf8)
      #expect(!arguments.contains("hunter2"))
      #expect(SecretServiceStore(application: "simplex", environment: ["PATH": folder]) == nil)
    }
  }

  @Test func `Settings go to another device and come back`() {
    let secrets = MemorySecretStore()
    func made() -> AppPreferences {
      AppPreferences(
        app: Preferences(MemoryPreferenceStore()), group: Preferences(MemoryPreferenceStore()), secrets: secrets)
    }
    let one = made()
    one.app[AppDefaults.DEFAULT_PRIVACY_MEDIA_BLUR_RADIUS] = 12
    one.group[GroupDefaults.GROUP_DEFAULT_ONE_HAND_UI] = false
    one.app[AppDefaults.DEFAULT_WEBRTC_ICE_SERVERS] = ["stun:a"]
    let settings = one.settings(notificationMode: .instant)
    let other = made()
    other.take(settings)
    #expect(other.settings(notificationMode: .instant) == settings)
    #expect(other.app[AppDefaults.DEFAULT_PRIVACY_MEDIA_BLUR_RADIUS] == 12)
    var partial = AppSettings()
    partial.developerTools = true
    other.take(partial)
    #expect(other.app[AppDefaults.DEFAULT_PRIVACY_MEDIA_BLUR_RADIUS] == 12)
    #expect(other.app[AppDefaults.DEFAULT_DEVELOPER_TOOLS])
  }
}
