import Reducers
package import Wire

/// A state as it was at one revision, whatever its type.
///
/// A class and not an existential of a value: keeping a version is one reference.
///
/// Sendable, unchecked: it never changes, and what its value shares with other versions is immutable and counted
/// atomically, so a log's thread may encode it.
package class StateVersion: @unchecked Sendable {
  fileprivate init() {}

  /// The bytes of memory that the value itself takes, without what it refers to.
  var inlineByteCount: Int { preconditionFailure("a version has a type") }

  /// Writes the delta from another version of the same state to this one.
  func encodeDelta(from base: StateVersion, to encoder: inout CBOREncoder) {
    preconditionFailure("a version has a type")
  }

  /// The part at a path; nil if nothing is there.
  func part(at path: [PathStep]) -> (any Replicated)? { preconditionFailure("a version has a type") }

  /// The whole state's bytes, a piece at a time.
  func pieces() -> StatePieces { preconditionFailure("a version has a type") }
}

/// A version of a state of one type.
package final class TypedVersion<State: Replicated>: StateVersion, @unchecked Sendable {
  private let state: State

  package init(_ state: State) { self.state = state }

  override var inlineByteCount: Int { MemoryLayout<State>.stride }

  override func encodeDelta(from base: StateVersion, to encoder: inout CBOREncoder) {
    // All versions of one source have one type.
    let base = unsafeDowncast(base, to: TypedVersion<State>.self)
    Reducing.unobserved { state.encodeDelta(from: base.state, to: &encoder) }
  }

  override func pieces() -> StatePieces { StatePieces(of: state) }

  override func part(at path: [PathStep]) -> (any Replicated)? {
    Reducing.unobserved { state.part(at: path[...]) }
  }
}

/// The bytes of a state, a piece at a time, on one thread.
final class StatePieces {
  private var encoder: PiecewiseEncoder

  init(of state: some WireValue) {
    encoder = Reducing.unobserved { PiecewiseEncoder(state) }
  }

  /// The next piece; nil behind the last one.
  func next(limit: Int) -> [UInt8]? { Reducing.unobserved { encoder.next(limit: limit) } }
}
