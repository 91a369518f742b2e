public import Wire

/// A step from the state of an earlier version of a feature to a later one, for changes that names alone do not explain.
///
/// ```swift
/// var migrations: [Migration] {
///   Migration(from: "3d55c9e700f5") { old in                        // by name; a retained type of the version after it
///     try Version2(total: old.count.value())
///   }
///   Migration(from: Version2.self) { old in Kitchen.State(totals: [old.total]) }
/// }
/// ```
///
/// A hub that finds an earlier state in its journal follows the steps from there until it has one of its own. From a type
/// without a further step, and from a schema without any, the state is converted by name.
///
/// A step must give the same result for the same state, because it may run again.
public struct Migration {
  /// The state that a step begins with.
  enum Source {
    /// The first digits of a schema's fingerprint.
    case fingerprint(String)
    /// A type, with a schema of which only the state is compared.
    case type(ObjectIdentifier, Schema)
  }

  let source: Source
  let result: ObjectIdentifier
  /// Of this schema, only the state is used.
  let resultSchema: Schema
  /// Such as "3d55c9e700f5 to Version2".
  let name: String
  let convert: (_ state: [UInt8], _ schema: Schema) throws -> [UInt8]

  /// A step from a schema that no type of this program has any more.
  ///
  /// - Parameters:
  ///   - fingerprint: At least the first 8 digits of the schema's fingerprint, as `migrate --check` and
  ///     `storectl schema --json` print it.
  ///   - result: The type of the state after the step: that of the feature, or of a version in between.
  ///   - convert: Returns the state after the step, or throws if it cannot.
  /// - Precondition: `fingerprint` consists of 8 to 64 hexadecimal digits in lower case.
  public init<New: Replicated>(
    from fingerprint: String, to result: New.Type = New.self, _ convert: @escaping (EarlierValue) throws -> New
  ) {
    precondition(
      (8...64).contains(fingerprint.count) && fingerprint.allSatisfy { "0123456789abcdef".contains($0) },
      "a migration begins with 8 to 64 digits of a fingerprint, not with '\(fingerprint)'")
    self.init(.fingerprint(fingerprint), fingerprint, result) { state, schema in
      try convert(EarlierValue(state: state, of: schema))
    }
  }

  /// A step from a type that the program has kept. It also applies to journals whose state has this type.
  public init<Old: Replicated, New: Replicated>(
    from source: Old.Type, to result: New.Type = New.self, _ convert: @escaping (Old) throws -> New
  ) {
    self.init(.type(ObjectIdentifier(source), Schema(stateOf: source)), "\(source)", result) { state, _ in
      try convert(Old(decoding: state.span.bytes))
    }
  }

  private init<New: Replicated>(
    _ source: Source, _ sourceName: String, _ result: New.Type, _ convert: @escaping ([UInt8], Schema) throws -> New
  ) {
    (self.source, self.result) = (source, ObjectIdentifier(result))
    (resultSchema, name) = (Schema(stateOf: result), "\(sourceName) to \(result)")
    self.convert = { try convert($0, $1).encoded() }
  }
}

/// Collects the migrations of a feature.
@resultBuilder
public enum MigrationsBuilder {
  /// The list of migrations.
  public static func buildBlock(_ migrations: Migration...) -> [Migration] { migrations }
}

extension Schema {
  /// A schema of which only the state is used.
  fileprivate init<State: Replicated>(stateOf type: State.Type) { self.init(state: type, action: Bool.self) }

  /// The same state, with the actions that `init(stateOf:)` has.
  var ofStateAlone: Schema {
    var schema = self
    schema.action = Bool.wireType
    return schema.compacted()
  }
}

extension Bool {
  fileprivate static var wireType: SchemaType {
    var builder = SchemaBuilder()
    return schema(in: &builder)
  }
}
