internal import Synchronization

/// The ways to compare values of a type, found once: looking up the conformances of a value takes the runtime as long as
/// the rest of a small turn.
final class ComparedType<Value>: @unchecked Sendable {  // Immutable; the closures capture types only.
  /// Reads the identity of a value; nil if the type is not observable.
  let identify: ((borrowing Value) -> ObservableStateID)?
  /// Marks a container of states; nil for other types.
  let mark: ((borrowing Value, _ moment: UInt64) -> Sameness.Mark)?
  /// Returns true if two values are equal; nil if the type is not equatable.
  let areEqual: ((borrowing Value, borrowing Value) -> Bool)?
  /// False for collections. A change of a collection of which a copy is kept would copy all of it.
  let mayBeKept: Bool

  fileprivate init() {
    identify = (Value.self as? any ObservableState.Type).map { Self.identifying($0) }
    mark = (Value.self as? any IdentityMarked.Type).map { Self.marking($0) }
    areEqual = (Value.self as? any Equatable.Type).map { Self.comparing($0) }
    mayBeKept = !isCollection(Value.self)
  }

  /// True if nothing is known of the type. It may be a protocol's, so each value must be asked.
  var isUnknown: Bool { identify == nil && mark == nil && areEqual == nil }

  // In the following, `Value` and the other type are the same, which the compiler cannot know.

  private static func identifying<T: ObservableState>(_: T.Type) -> (borrowing Value) -> ObservableStateID {
    { value in
      withUnsafePointer(to: value) { UnsafeRawPointer($0).assumingMemoryBound(to: T.self).pointee._$id }
    }
  }

  private static func marking<T: IdentityMarked>(_: T.Type) -> (borrowing Value, UInt64) -> Sameness.Mark {
    { value, moment in
      withUnsafePointer(to: value) {
        UnsafeRawPointer($0).assumingMemoryBound(to: T.self).pointee._$mark(since: moment)
      }
    }
  }

  private static func comparing<T: Equatable>(_: T.Type) -> (borrowing Value, borrowing Value) -> Bool {
    { first, second in
      withUnsafePointer(to: first) { first in
        withUnsafePointer(to: second) { second in
          UnsafeRawPointer(first).assumingMemoryBound(to: T.self).pointee
            == UnsafeRawPointer(second).assumingMemoryBound(to: T.self).pointee
        }
      }
    }
  }
}

/// The types that were compared in this process.
enum ComparedTypes {
  private static let known = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  /// The ways to compare values of a type.
  static func of<Value>(_: Value.Type) -> ComparedType<Value> {
    let id = ObjectIdentifier(Value.self)
    if let type = known.withLock({ $0[id] }) { return unsafeDowncast(type, to: ComparedType<Value>.self) }
    let type = ComparedType<Value>()
    known.withLock { $0[id] = type }
    return type
  }
}

/// Returns true for collections other than texts, and for optional ones.
private func isCollection(_ type: Any.Type) -> Bool {
  if let optional = type as? any OptionalField.Type { return isCollection(optional.wrapped) }
  return type != String.self && type is any Collection.Type
}

private protocol OptionalField {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalField {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}
