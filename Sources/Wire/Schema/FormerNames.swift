// Former names say how to read what other versions have written, not what this one writes. So they are no part of a
// schema's identity: with or without them it has the same fingerprint, and equals itself.

extension Schema {
  /// The bit in the header's flags of *describe* by which a client requests the former names.
  public static var formerNamesFlag: UInt8 { 2 }

  /// The schema for clients that do not know former names.
  public var withoutFormerNames: Schema {
    var result = self
    for index in result.definitions.indices {
      switch result.definitions[index].content {
      case .fields(var fields):
        for position in fields.indices { fields[position].formerNames = [] }
        result.definitions[index].content = .fields(fields)
      case .cases(var cases):
        for position in cases.indices { cases[position].formerNames = [] }
        result.definitions[index].content = .cases(cases)
      }
    }
    return result
  }
}

extension Schema.Field {
  /// Compares all but the former names.
  public static func == (first: Self, second: Self) -> Bool {
    first.key == second.key && first.name == second.name && first.type == second.type
      && first.hasDefault == second.hasDefault
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(name)
    hasher.combine(type)
    hasher.combine(hasDefault)
  }
}

extension Schema.Case {
  /// Compares all but the former names.
  public static func == (first: Self, second: Self) -> Bool {
    first.key == second.key && first.name == second.name && first.payload == second.payload
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(name)
    hasher.combine(payload)
  }
}
