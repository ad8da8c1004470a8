import ChatAPI

extension Profile {
  /// A random profile, for incognito connections and for users without a profile.
  ///
  /// - Parameter number: decides which; all numbers are equally likely to be meant by a random one.
  public static func random(_ number: UInt64) -> Profile {
    let adjectives = UInt64(adjectives.count)
    let nouns = UInt64(nouns.count)
    let adjective = Self.adjectives[Int(number % adjectives)]
    let noun = Self.nouns[Int(number / adjectives % nouns)]
    return Profile(displayName: "\(adjective)\(noun)", fullName: "")
  }

  private static let adjectives = [
    "Agile", "Amber", "Ancient", "Autumn", "Bold", "Brave", "Breezy", "Bright", "Calm", "Candid", "Cheerful", "Clever",
    "Cosmic", "Crimson", "Curious", "Daring", "Distant", "Eager", "Early", "Earnest", "Easy", "Electric", "Elegant",
    "Emerald", "Fabled", "Fair", "Fearless", "Fleet", "Floating", "Gentle", "Gilded", "Glad", "Golden", "Graceful",
    "Grand", "Hardy", "Hidden", "Honest", "Humble", "Idle", "Indigo", "Jolly", "Keen", "Kind", "Lively", "Lofty",
    "Loyal", "Lucid", "Lucky", "Magic", "Mellow", "Merry", "Mighty", "Misty", "Modest", "Nimble", "Noble", "Northern",
    "Open", "Patient", "Peaceful", "Plucky", "Polar", "Proud", "Quick", "Quiet", "Radiant", "Rapid", "Ready", "Restful",
    "Rosy", "Rustic", "Sage", "Scarlet", "Secret", "Serene", "Sharp", "Silent", "Silver", "Sincere", "Sleepy",
    "Smiling",
    "Snowy", "Solar", "Solid", "Spirited", "Spring", "Steady", "Still", "Sunny", "Swift", "Tender", "Thoughtful",
    "Tranquil", "Trusty", "Upbeat", "Velvet", "Vivid", "Wandering", "Warm", "Western", "Whimsical", "Wild", "Winter",
    "Wise", "Witty", "Zealous", "Zesty",
  ]

  private static let nouns = [
    "Acorn", "Albatross", "Antelope", "Archer", "Badger", "Beacon", "Beaver", "Birch", "Bison", "Breeze", "Brook",
    "Canyon", "Cedar", "Cheetah", "Cloud", "Comet", "Coral", "Cormorant", "Crane", "Cricket", "Dolphin", "Dove",
    "Dragonfly", "Eagle", "Egret", "Ember", "Falcon", "Fern", "Finch", "Firefly", "Fjord", "Fox", "Gazelle", "Gecko",
    "Glacier", "Goldfinch", "Grove", "Gull", "Harbor", "Hare", "Harvest", "Hawk", "Hazel", "Heron", "Hill", "Ibex",
    "Ibis", "Iris", "Island", "Jaguar", "Jay", "Juniper", "Kestrel", "Kite", "Lagoon", "Lantern", "Lark", "Leopard",
    "Lighthouse", "Lily", "Linnet", "Lynx", "Magpie", "Maple", "Marten", "Meadow", "Meteor", "Moon", "Moose", "Nebula",
    "Nightingale", "Oak", "Ocean", "Orchard", "Oriole", "Osprey", "Otter", "Owl", "Panther", "Pebble", "Pelican",
    "Penguin", "Petrel", "Pine", "Plover", "Puffin", "Quail", "Rabbit", "Rain", "Raven", "Reef", "River", "Robin",
    "Salmon", "Seal", "Sparrow", "Squirrel", "Starling", "Stork", "Summit", "Swallow", "Swan", "Thistle", "Thrush",
    "Tiger", "Turtle", "Valley", "Walrus", "Willow", "Wolf", "Wren", "Zebra",
  ]
}
