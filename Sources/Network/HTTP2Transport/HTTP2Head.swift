import NIOHPACK

/// The head of a request or a response.
public struct HTTP2Head: Hashable, Sendable {
  /// Header fields in order, with names in lowercase, and without the pseudo-fields that the other members express.
  public var fields: [Field]
  /// The method of a request, such as `POST`; empty in responses.
  public var method = ""
  /// The path of a request; empty in responses.
  public var path = ""
  /// The host that a request names.
  public var authority = ""
  /// The status of a response; 0 in requests.
  public var status = 0

  /// A header field.
  public struct Field: Hashable, Sendable {
    /// The name in lowercase.
    public var name: String
    /// The value.
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The head of a request.
  public init(method: String, path: String, authority: String, fields: [Field] = []) {
    self.fields = fields
    self.method = method
    self.path = path
    self.authority = authority
  }

  /// The head of a response.
  public init(status: Int, fields: [Field] = []) {
    self.fields = fields
    self.status = status
  }

  /// The value of the first field with this name, in lowercase.
  public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension HTTP2Head {
  init(_ headers: HPACKHeaders) {
    fields = []
    for (name, value, _) in headers {
      switch name {
      case ":method": method = value
      case ":path": path = value
      case ":authority": authority = value
      case ":status": status = Int(value) ?? 0
      default: if name.utf8.first != UInt8(ascii: ":") { fields.append(Field(name: name, value: value)) }
      }
    }
  }

  var headers: HPACKHeaders {
    var headers = HPACKHeaders()
    if status > 0 {
      headers.add(name: ":status", value: String(status))
    } else {
      headers.add(name: ":method", value: method)
      headers.add(name: ":path", value: path)
      headers.add(name: ":scheme", value: "https")
      headers.add(name: ":authority", value: authority)
    }
    for field in fields { headers.add(name: field.name, value: field.value) }
    return headers
  }
}
