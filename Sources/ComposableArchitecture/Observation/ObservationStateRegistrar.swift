internal import Synchronization

/// Who observes which field of a state. `@ObservableState` puts one into each struct.
///
/// Copies of a state share their observers until one of them changes.
public struct ObservationStateRegistrar: Sendable {
  private var extent = Extent()

  /// A registrar without observers.
  public init() {}

  /// The identity of the state that it is in.
  public var id: ObservableStateID { ObservableStateID(number: extent.number, origin: extent.origin) }

  /// Notes that a field was read.
  @inlinable
  public func access<Subject, Member>(_ keyPath: @autoclosure () -> KeyPath<Subject, Member>) {
    guard isObservable else { return }
    accessed(keyPath())
  }

  @usableFromInline var isObservable: Bool { !Reducing.isActive }

  @usableFromInline
  func accessed(_ keyPath: AnyKeyPath) { extent.field(keyPath).access() }

  /// Sets a field, which may be stored as a value of another type.
  public mutating func mutate<Subject, Field, Member>(
    _ keyPath: @autoclosure () -> KeyPath<Subject, Field>, _ value: inout Member, _ newValue: Member
  ) {
    let field = willChange(keyPath)
    guard let field else {
      value = newValue
      return
    }
    let before = Sameness.mark(value)
    value = newValue
    if !Sameness.isSame(before, value) { Reducing.note(field) }
  }

  /// Notes a field before it changes in place.
  public mutating func willModify<Subject, Member>(
    _ keyPath: @autoclosure () -> KeyPath<Subject, Member>, _ value: Member
  ) -> _FieldMark? {
    willChange(keyPath).map { _FieldMark(field: $0, mark: Sameness.mark(value)) }
  }

  /// Tells the observers of a field that has changed in place.
  public func didModify<Subject, Member>(
    _ keyPath: @autoclosure () -> KeyPath<Subject, Member>, _ value: Member, _ before: _FieldMark?
  ) {
    guard let before, !Sameness.isSame(before.mark, value) else { return }
    Reducing.note(before.field)
  }

  /// Gives a copied state an identity of its own.
  public mutating func _$willModify() {
    if !isKnownUniquelyReferenced(&extent) { extent = Extent(copying: extent) }
  }

  /// The observed field, if anybody has read it. A state that is a copy gets an identity of its own.
  private mutating func willChange<Subject, Member>(_ keyPath: () -> KeyPath<Subject, Member>) -> ObservedField? {
    let field = extent.observedField(keyPath)
    _$willModify()
    return field
  }
}

/// A field's observers and what it was before a change.
public struct _FieldMark {
  fileprivate let field: ObservedField
  fileprivate let mark: Sameness.Mark
}

extension ObservationStateRegistrar: Hashable, Codable {
  /// Registrars are equal: what a state is does not depend on who observes it.
  public static func == (lhs: Self, rhs: Self) -> Bool { true }
  public func hash(into hasher: inout Hasher) {}
  public init(from decoder: any Decoder) throws { self.init() }
  public func encode(to encoder: any Encoder) throws {}
}

/// The observed fields of a state and its copies.
final class Extent: Sendable {
  private static let lastNumber = Atomic<UInt64>(0)

  /// A number that no other state of this process has.
  static func nextNumber() -> UInt64 {
    lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  }

  let number = Extent.nextNumber()
  /// The number of the state that this one is a changed copy of; 0 for none.
  let origin: UInt64
  private let isObserved = Atomic(false)
  private let fields = Mutex<[FieldKey: ObservedField]>([:])

  init() { origin = 0 }

  /// The extent of a copy that is about to change. Those who observe a field of the original may have meant the copy.
  init(copying original: Extent) {
    origin = original.number
    guard original.isObserved.load(ordering: .acquiring) else { return }
    let observed = original.fields.withLock { $0 }
    fields.withLock { $0 = observed }
    isObserved.store(true, ordering: .releasing)
  }

  /// The field, made if nobody has read it before.
  func field(_ keyPath: AnyKeyPath) -> ObservedField {
    isObserved.store(true, ordering: .releasing)
    let key = FieldKey(keyPath: keyPath)
    return fields.withLock { fields in
      if let field = fields[key] { return field }
      let field = ObservedField()
      fields[key] = field
      return field
    }
  }

  /// The field, if somebody has read it.
  func observedField<Subject, Member>(_ keyPath: () -> KeyPath<Subject, Member>) -> ObservedField? {
    guard isObserved.load(ordering: .acquiring) else { return nil }
    let key = FieldKey(keyPath: keyPath())
    return fields.withLock { $0[key] }
  }
}

/// A field by its key path. Unchecked: the macro's key paths are literals without captured values.
private struct FieldKey: Hashable, @unchecked Sendable {
  let keyPath: AnyKeyPath
}
