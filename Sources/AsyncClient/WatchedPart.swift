package import ReplicaCore
package import Wire

/// A part of a state that tasks watch, and its mirror.
package final class WatchedPart {
  /// Identifies a part, and the type of its values.
  package struct Key: Hashable, Sendable {
    package let root: StateRoot
    package let path: [PathStep]
    private let type: ObjectIdentifier

    /// - Parameters:
    ///   - path: The steps to the part, by the keys of the client's schema.
    ///   - root: The feature's state or the hub's own.
    ///   - type: The type of the mirror.
    package init<Content: Mirror>(_ path: [PathStep], of root: StateRoot = .feature, as type: Content.Type) {
      (self.root, self.path, self.type) = (root, path, ObjectIdentifier(type))
    }
  }

  let mirror: any Mirror
  /// Those that are told of changes. Each keeps one value at most, so a slow one costs nothing.
  var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]

  init(_ mirror: any Mirror) {
    self.mirror = mirror
  }

  func changed() {
    for observer in observers.values { observer.yield() }
  }

  func finish() {
    for observer in observers.values { observer.finish() }
  }
}
