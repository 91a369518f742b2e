public import Wire

/// Names what a client follows, for as long as it lives.
public struct MirrorID: Hashable, Sendable {
  let number: Int
}

/// A client's copy of one part of a state that a hub owns, whatever the type of the part.
public class AnyMirror {
  /// Its name.
  public let id: MirrorID
  /// Whose state it is a part of.
  public let root: StateRoot
  /// The steps to the part.
  public let path: [PathStep]
  /// The revision that the hub told last of the part.
  public fileprivate(set) var revision: UInt64 = 0
  /// Whether the hub has said what is at the place, if only that nothing is.
  public fileprivate(set) var isKnown = false

  /// Whether what is here is what the hub had at `revision`, so that a delta from there can be asked for.
  var isInStep = false
  /// Whether the client is not live before the hub has sent something for it.
  var isAwaited = false
  /// Its scope number on this connection.
  var scope: UInt16?
  /// What turns the hub's bytes of the part into ours; nil when they are the same.
  var mapping: SchemaMapping?
  /// The pieces of a snapshot that is not whole yet.
  var pieces: [UInt8] = []

  init(id: MirrorID, root: StateRoot, path: [PathStep]) {
    (self.id, self.root, self.path) = (id, root, path)
  }

  /// A new connection begins.
  func beginConnection() {
    (scope, mapping, pieces) = (nil, nil, [])
  }

  /// Notes what the hub has said.
  func told(_ revision: UInt64) {
    self.revision = revision
    (isKnown, isInStep, isAwaited) = (true, true, false)
  }

  /// Says whether that changed anything.
  func replace(at revision: UInt64) throws(WireError) -> Bool { preconditionFailure("a mirror has a type") }
  func apply(_ decoder: inout CBORDecoder, at revision: UInt64) throws(WireError) {
    preconditionFailure("a mirror has a type")
  }
  func remove(at revision: UInt64) { preconditionFailure("a mirror has a type") }
  func hash() -> StateHash? { preconditionFailure("a mirror has a type") }
}

/// A client's copy of one part of a state that a hub owns.
public final class Mirror<Part: Replicated>: AnyMirror {
  /// The part as the hub had it at `revision`; nil before it is known, and while it is not there.
  public private(set) var part: Part?
  /// What the part was before it went away.
  public private(set) var last: Part?

  /// Takes the state of a whole snapshot, changing only what is different.
  override func replace(at revision: UInt64) throws(WireError) -> Bool {
    let bytes = try mapping?.mapValue(pieces) ?? pieces
    pieces = []
    let new = try Part(decoding: bytes.span.bytes)
    defer { told(revision) }
    if let part {
      guard new.differs(from: part) else { return false }
      // Who observes a field that is the same is not told.
      var encoder = CBOREncoder()
      new.encodeDelta(from: part, to: &encoder)
      var decoder = CBORDecoder(encoder.span)
      try self.part?.apply(delta: &decoder)
    } else {
      part = new
    }
    return true
  }

  /// Applies a delta whole or not at all, in place.
  override func apply(_ decoder: inout CBORDecoder, at revision: UInt64) throws(WireError) {
    let start = decoder.offset
    guard part != nil else { throw WireError(.doesNotFit(type: "part that is not there"), at: start) }
    try part?.applyWhole(delta: &decoder)
    try decoder.finish()
    told(revision)
  }

  /// Notes that nothing is at the place.
  override func remove(at revision: UInt64) {
    if part != nil { last = part }
    part = nil
    told(revision)
  }

  /// The hash of what is here; nil when nothing is.
  override func hash() -> StateHash? { part?.stateHash() }
}
