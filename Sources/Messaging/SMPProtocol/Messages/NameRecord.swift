import SimplexJSON
import WireCodec

/// The parameters of RNAME: the record of a name. Source: simplex-messaging.md, "Name record response".
///
/// It is not verified: the relay passes on its resolver's response. Texts that are not set are empty.
public struct NameRecord: Hashable, Sendable {
  /// The name.
  public var name: String
  /// A name for people.
  public var nickname: String
  /// A web page.
  public var website: String
  /// A location.
  public var location: String
  /// Links to contact addresses, the preferred one first.
  public var simplexContact: [String]
  /// Links to channels, the preferred one first.
  public var simplexChannel: [String]
  /// An address for Ether.
  public var eth: String?
  /// An address for Bitcoin.
  public var btc: String?
  /// An address for Monero.
  public var xmr: String?
  /// An address for Polkadot.
  public var dot: String?
  /// The address of the name's owner in the registry, `0x` and 40 hexadecimal digits.
  public var owner: String
  /// The address of the contract that returned the record, `0x` and 40 hexadecimal digits.
  public var resolver: String

  public init(
    name: String, nickname: String = "", website: String = "", location: String = "", simplexContact: [String] = [],
    simplexChannel: [String] = [], eth: String? = nil, btc: String? = nil, xmr: String? = nil, dot: String? = nil,
    owner: String, resolver: String
  ) {
    self.name = name
    self.nickname = nickname
    self.website = website
    self.location = location
    self.simplexContact = simplexContact
    self.simplexChannel = simplexChannel
    self.eth = eth
    self.btc = btc
    self.xmr = xmr
    self.dot = dot
    self.owner = owner
    self.resolver = resolver
  }
}

extension NameRecord: JSONCodable {
  /// Reads the object; unknown members are ignored.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    name = try fields.get("name")
    nickname = try fields.get("nickname")
    website = try fields.get("website")
    location = try fields.get("location")
    simplexContact = try fields.get("simplexContact")
    simplexChannel = try fields.get("simplexChannel")
    eth = try fields.get("eth")
    btc = try fields.get("btc")
    xmr = try fields.get("xmr")
    dot = try fields.get("dot")
    owner = try fields.get("owner")
    resolver = try fields.get("resolver")
  }

  /// Writes the object; addresses that are not set are `null`, not omitted.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("name", name)
    json.field("nickname", nickname)
    json.field("website", website)
    json.field("location", location)
    json.field("simplexContact", simplexContact)
    json.field("simplexChannel", simplexChannel)
    for (key, address) in [("eth", eth), ("btc", btc), ("xmr", xmr), ("dot", dot)] {
      json.key(key)
      address.encode(to: &json)
    }
    json.field("owner", owner)
    json.field("resolver", resolver)
    json.endObject()
  }
}

extension BrokerMessage {
  static let rnameForm = MessageForm<BrokerMessage>(
    "RNAME", since: SMPVersion.names, (), .bareResponse,
    Codec<[UInt8]>.tail.compactMap("a name record", { try? NameRecord(jsonBytes: $0) }, { $0.jsonBytes() }),
    { .rname($0) }, { if case .rname(let record) = $0 { record } else { nil } })
}
