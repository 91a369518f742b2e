import Wire

/// A client's request for the schema of a root.
struct SchemaRequest: Equatable {
  /// The index of the root.
  let root: Int
  /// True if the client has also requested the documentation.
  var isDocumented = false
  /// True if the client knows former names.
  var hasFormerNames = false
}

/// The answers to a client's requests that were not written yet.
struct PendingReplies {
  /// The number of the last unanswered ping.
  var pong: UInt64?
  /// The detached scopes whose *detached* frame was not written yet.
  var detached: [UInt16] = []
  /// The scopes that were refused alone, without the frames that say so.
  private(set) var refused: [RefusedScope] = []
  /// The sum of what the client's user is charged for these.
  private(set) var refusedBytes = 0
  /// The requested schemas, each once.
  var schemas: [SchemaRequest] = []
  /// The number of the last action whose effects the hub does not hold any more; 0 if the client knows it.
  var released: UInt64 = 0

  /// Whether the hub's state may be stale, after a change of that.
  var standing: HubStanding?

  var isEmpty: Bool {
    pong == nil && detached.isEmpty && refused.isEmpty && schemas.isEmpty && released == 0 && standing == nil
  }

  mutating func append(_ scope: RefusedScope) {
    refused.append(scope)
    refusedBytes += scope.chargedBytes
  }

  /// Removes all answers, which were written, and keeps the memory of the lists.
  mutating func removeAll() {
    (pong, released, standing, refusedBytes) = (nil, 0, nil, 0)
    detached.removeAll(keepingCapacity: true)
    refused.removeAll()
    schemas.removeAll(keepingCapacity: true)
  }
}
