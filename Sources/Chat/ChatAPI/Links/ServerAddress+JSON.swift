import SimplexJSON

extension ServerAddress: JSONDecodable, JSONEncodable {
  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    self.init(
      serverProtocol: try fields.get("serverProtocol"), hostnames: try fields.get("hostnames"),
      port: try fields.get("port"), keyHash: try fields.get("keyHash"), basicAuth: try fields.get("basicAuth"))
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("serverProtocol", serverProtocol)
    json.field("hostnames", hostnames)
    json.field("port", port)
    json.field("keyHash", keyHash)
    json.field("basicAuth", basicAuth)
    json.endObject()
  }
}
