public import Wire

/// A client's copy of one part of a hub's state, whatever the type of its value.
///
/// `ReplicaCore` passes it the hub's bytes, encoded with the schema that it was attached with. If a call throws, the
/// mirror keeps its value and revision.
public protocol Mirror: AnyObject {
  /// The hub's revision of the value; nil before the hub has sent the value or its absence.
  var revision: UInt64? { get }

  /// Prepares for values of the type that a schema has at a path.
  ///
  /// Called for each connection that opens, before any other call.
  func attach(_ schema: Schema, at path: [PathStep]) throws(SchemaPathError)

  /// Replaces the value, and returns true if it differs from the previous one.
  func replace(with value: RawSpan, at revision: UInt64) throws(WireError) -> Bool

  /// Applies a change, up to the end of the bytes, completely or not at all.
  func apply(_ change: consuming CBORDecoder, at revision: UInt64) throws(WireError)

  /// Records that the value is unchanged at a later revision.
  func advance(to revision: UInt64)

  /// Removes the value, because the place has none any more.
  func remove(at revision: UInt64)

  /// Returns the hash of the value; nil if there is none, or the mirror cannot compute it.
  func hash() -> StateHash?

  /// Called after the hash of the value was compared with the hub's.
  func compared(_ comparison: HashComparison)
}

extension Mirror {
  /// Does nothing.
  public func compared(_ comparison: HashComparison) {}
}

/// The hashes of a mirror's value and of the hub's.
public struct HashComparison: Equatable, Sendable {
  /// The hub's revision.
  public let revision: UInt64
  /// The hash of the mirror's value.
  public let here: StateHash
  /// The hash of the hub's value.
  public let there: StateHash
}
