import FeatureCore
public import Wire

/// A type-erased state at one revision.
///
/// A class and not an existential, so that keeping a version takes one reference.
///
/// Sendable, unchecked: it never changes, and memory shared with other versions is immutable and counted atomically, so
/// a log's thread may encode it.
@usableFromInline
package class StateVersion: @unchecked Sendable {
  fileprivate init() {}

  /// The size of the value itself, without the memory that it refers to.
  var inlineByteCount: Int { preconditionFailure("a version has a type") }

  /// Writes the delta from another version of the same state to this one.
  func encodeDelta(from base: StateVersion, to encoder: inout CBOREncoder) {
    preconditionFailure("a version has a type")
  }

  /// The part at a path; nil if it has no value.
  func part(at path: [PathStep]) -> (any Replicated)? { preconditionFailure("a version has a type") }

  /// The bytes of the whole state in pieces.
  func pieces() -> StatePieces { preconditionFailure("a version has a type") }
}

/// A version of a state of a known type. Sendable, unchecked, for the reason of its superclass.
@usableFromInline
package final class TypedVersion<State: Replicated>: StateVersion, @unchecked Sendable {
  let state: State

  @usableFromInline
  package init(_ state: State) { self.state = state }

  override var inlineByteCount: Int { MemoryLayout<State>.stride }

  override func encodeDelta(from base: StateVersion, to encoder: inout CBOREncoder) {
    // All versions of one source have the same type.
    let base = unsafeDowncast(base, to: TypedVersion<State>.self)
    Reducing.unobserved { state.encodeDelta(from: base.state, to: &encoder) }
  }

  override func pieces() -> StatePieces { StatePieces(of: state) }

  override func part(at path: [PathStep]) -> (any Replicated)? {
    Reducing.unobserved { state.part(at: path[...]) }
  }
}

/// The version of a state that has no value, and does not change. Sendable, unchecked, for the reason of its superclass.
final class AbsentVersion: StateVersion, @unchecked Sendable {
  override init() { super.init() }

  override var inlineByteCount: Int { 0 }

  override func part(at path: [PathStep]) -> (any Replicated)? { nil }
}

/// The bytes of a state in pieces, used on one thread.
final class StatePieces {
  private var encoder: PiecewiseEncoder

  init(of state: some WireValue) {
    encoder = Reducing.unobserved { PiecewiseEncoder(state) }
  }

  /// The next piece; nil after the last one.
  func next(limit: Int) -> [UInt8]? { Reducing.unobserved { encoder.next(limit: limit) } }
}
