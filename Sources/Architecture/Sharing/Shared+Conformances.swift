internal import IssueReporting

// Conformances of version 1, by which a state with shared values can be a key or be encoded. A share does not keep its
// identity: it is encoded as its value, and decoded as a new share without a key.

extension Shared: Hashable where Value: Hashable {
  /// Hashes the value that `==` compares. The hash changes with the value, so a share is no lasting key.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Shared: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Shared: Decodable where Value: Decodable {
  /// Shares a decoded value without a key.
  public init(from decoder: any Decoder) throws {
    self.init(location: Cell(try decoder.singleValueContainer().decode(Value.self), at: IssueLocation()))
  }
}

extension SharedReader: Hashable where Value: Hashable {
  /// Hashes the value that `==` compares. The hash changes with the value, so a share is no lasting key.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension SharedReader: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension SharedReader: Decodable where Value: Decodable {
  /// Decodes a value that never changes.
  public init(from decoder: any Decoder) throws {
    self.init(location: Cell(try decoder.singleValueContainer().decode(Value.self), at: IssueLocation()))
  }
}
