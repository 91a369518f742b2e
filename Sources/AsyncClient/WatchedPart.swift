package import ReplicaCore
package import Wire

/// A part of a state that tasks watch, and its mirror.
package final class WatchedPart {
  /// Identifies a part, and the type of its values.
  package struct Key: Hashable, Sendable {
    package let root: StateRoot
    package let path: [PathStep]
    /// The view that the part is in; nil for a part of a state.
    let view: View?
    private let type: ObjectIdentifier

    /// A view, and the schema of its values.
    struct View: Hashable, Sendable {
      let reference: ViewReference
      let schema: Schema
    }

    /// - Parameters:
    ///   - path: The steps to the part, by the keys of the client's schema.
    ///   - root: The feature's state or the hub's own.
    ///   - type: The type of the mirror.
    package init<Content: Mirror>(_ path: [PathStep], of root: StateRoot = .feature, as type: Content.Type) {
      (self.root, self.path, self.type, view) = (root, path, ObjectIdentifier(type), nil)
    }

    /// - Parameters:
    ///   - path: The steps from the value of the view to the part.
    ///   - view: The view.
    ///   - type: The type of the mirror.
    init<Value, Content: Mirror>(_ path: [PathStep], in view: ViewName<Value>, as type: Content.Type) {
      (root, self.path, self.type) = (.views, path, ObjectIdentifier(type))
      self.view = View(reference: view.reference, schema: Schema(state: Value.self, action: Never.self))
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
