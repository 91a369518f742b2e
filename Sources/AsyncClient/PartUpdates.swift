internal import ReplicaCore
public import Wire

/// A part of a hub's state at a revision.
public struct PartUpdate<Part: Sendable>: Sendable {
  /// The part; nil while it does not exist, such as an element that was removed.
  public let value: Part?
  /// The hub's revision of the part: the number of actions that had taken effect.
  public let revision: UInt64
  /// The reason why the hub does not serve the part, which then has no value; nil if it does.
  public let refusal: String?
  /// The kind of that reason: `tooManyScopes` for a limit, `notPermitted` or `unknownScope`; nil if the hub serves the
  /// part, and for a view that it does not compute any more.
  public let refusalCode: PeerErrorCode?
}

/// The values of a part of a hub's state, and its absences, from the one of now.
///
/// Each iteration gets the newest value whenever it asks: what has changed while it was busy is one change, so a slow one
/// holds nothing back and needs no memory. The client subscribes to the part while there is an iteration; several of one
/// part share the subscription. An iteration ends when its task is cancelled, and when the client has ended.
public struct PartUpdates<Part: Replicated & Sendable>: AsyncSequence, Sendable {
  /// A value or an absence.
  public typealias Element = PartUpdate<Part>
  /// It does not fail.
  public typealias Failure = Never

  private let connection: AsyncConnection
  private let key: WatchedPart.Key

  init(_ connection: AsyncConnection, _ path: [PathStep], of root: StateRoot) {
    self.connection = connection
    key = WatchedPart.Key(path, of: root, as: TypedMirror<Part>.self)
  }

  init<Value: Replicated>(_ connection: AsyncConnection, _ path: [PathStep], in view: ViewName<Value>) {
    self.connection = connection
    key = WatchedPart.Key(path, in: view, as: TypedMirror<Part>.self)
  }

  /// Subscribes to the part.
  public func makeAsyncIterator() -> Iterator {
    let changes = connection.changes(of: key) { TypedMirror<Part>() }
    return Iterator(connection: connection, key: key, changes: changes.makeAsyncIterator())
  }

  /// The iteration of a part's values.
  public struct Iterator: AsyncIteratorProtocol {
    let connection: AsyncConnection
    let key: WatchedPart.Key
    var changes: AsyncStream<Void>.Iterator

    /// Waits for a value that was not returned yet.
    public mutating func next() async -> PartUpdate<Part>? {
      await next(isolation: nil)
    }

    /// Waits for a value that was not returned yet.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> PartUpdate<Part>? {
      guard await changes.next(isolation: actor) != nil else { return nil }
      return await connection.read(key, as: TypedMirror<Part>.self) { mirror, refusal, code in
        PartUpdate(value: mirror.part, revision: mirror.revision ?? 0, refusal: refusal, refusalCode: code)
      }
    }
  }
}
