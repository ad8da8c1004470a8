import ChatAPI

extension Profile {
  /// Contacts of the SimpleX team that a new user can connect to.
  public static let presetCards = [
    Profile(
      displayName: "SimpleX Status", fullName: "",
      shortDescr: "Automatic server status and app release updates",
      contactLink:
        "simplex:/contact/#/?v=1-2&smp=smp%3A%2F%2Fu2dS9sG8nMNURyZwqASV4yROM28Er0luVTx5X1CsMrU%3D%40smp4.simplex.im%2FShQuD-rPokbDvkyotKx5NwM8P3oUXHxA%23%2F%3Fv%3D1-2%26dh%3DMCowBQYDK2VuAyEA6fSx1k9zrOmF0BJpCaTarZvnZpMTAVQhd3RkDQ35KT0%253D%26srv%3Do5vmywmrnaxalvz6wi3zicyftgio6psuvyniis6gco6bp6ekl4cqj4id.onion",
      peerType: .bot),
    Profile(
      displayName: "Ask SimpleX Team", fullName: "",
      shortDescr: "Send questions about SimpleX Chat app and your suggestions",
      contactLink:
        "simplex:/contact#/?v=1&smp=smp%3A%2F%2FPQUV2eL0t7OStZOoAsPEV2QYWt4-xilbakvGUGOItUo%3D%40smp6.simplex.im%2FK1rslx-m5bpXVIdMZg9NLUZ_8JBm8xTt%23MCowBQYDK2VuAyEALDeVe-sG8mRY22LsXlPgiwTNs9dbiLrNuA7f3ZMAJ2w%3D"
    ),
  ]
}
