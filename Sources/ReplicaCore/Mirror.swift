public import Wire

/// A client's copy of one part of a state that a hub owns, whatever the type of its value.
///
/// `ReplicaCore` calls it with the hub's bytes, in the form of the schema that it was attached with. When a call throws,
/// the mirror has the value and the revision that it had before.
public protocol Mirror: AnyObject {
  /// The hub's revision of the value; nil before the hub has said what is at the place, if only that nothing is.
  var revision: UInt64? { get }

  /// Prepares for values of the type that a schema has at a path.
  ///
  /// Called for each connection that opens, before anything comes for the mirror.
  func attach(_ schema: Schema, at path: [PathStep]) throws(SchemaPathError)

  /// Takes a whole value, and returns whether it is another one than before.
  func replace(with value: RawSpan, at revision: UInt64) throws(WireError) -> Bool

  /// Applies a change, up to the end of the bytes, whole or not at all.
  func apply(_ change: consuming CBORDecoder, at revision: UInt64) throws(WireError)

  /// Takes note that the value is the same at a later revision.
  func advance(to revision: UInt64)

  /// Takes note that nothing is at the place.
  func remove(at revision: UInt64)

  /// The hash of the value; nil if there is none, or the mirror cannot compute it.
  func hash() -> StateHash?

  /// Takes note that the hash of the value was compared with the hub's.
  func compared(_ comparison: HashComparison)
}

extension Mirror {
  /// Does nothing.
  public func compared(_ comparison: HashComparison) {}
}

/// The hash of a mirror's value beside that of the hub's.
public struct HashComparison: Equatable, Sendable {
  /// The hub's revision.
  public let revision: UInt64
  /// The hash of the mirror's value.
  public let here: StateHash
  /// The hash of the hub's.
  public let there: StateHash
}
