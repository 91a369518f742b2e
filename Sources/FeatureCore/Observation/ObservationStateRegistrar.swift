public import CFeatureCore
public import Synchronization

/// The observers of a state's fields. `@ObservableState` adds a registrar to each struct.
///
/// Copies of a state share their observers until one of them changes.
public struct ObservationStateRegistrar: Sendable {
  @usableFromInline var extent = Extent()

  /// A registrar without observers.
  public init() {}

  /// The identity of the state that contains it.
  public var id: ObservableStateID { ObservableStateID(number: extent.number, origin: extent.origin) }

  /// Records the read of a field.
  @inlinable
  public func access<Subject, Member>(_ keyPath: @autoclosure () -> KeyPath<Subject, Member>) {
    // One thread-local word: reducers read fields all the time.
    guard storehub_can_observe() else { return }
    accessed(keyPath())
  }

  @usableFromInline
  func accessed(_ keyPath: AnyKeyPath) { extent.field(keyPath).access() }

  /// Sets a field that may be stored as a value of another type.
  @inlinable
  public mutating func mutate<Subject, Field, Member>(
    _ keyPath: @autoclosure () -> KeyPath<Subject, Field>, _ value: inout Member, _ newValue: Member
  ) {
    _$willModify()
    guard extent.isObserved, let before = mark(keyPath(), value) else {
      value = newValue
      return
    }
    let isEqual = before.isEqual(value, newValue)
    value = newValue
    if !isEqual { changed(keyPath(), value, before) }
  }

  /// Records a field before it changes in place.
  @inlinable
  public mutating func willModify<Subject, Member>(
    _ keyPath: @autoclosure () -> KeyPath<Subject, Member>, _ value: Member
  ) -> _FieldMark? {
    _$willModify()
    return extent.isObserved ? mark(keyPath(), value)?.keeping(value) : nil
  }

  /// Notifies the observers of a field that has changed in place.
  @inlinable
  public func didModify<Subject, Member>(
    _ keyPath: @autoclosure () -> KeyPath<Subject, Member>, _ value: Member, _ before: _FieldMark?
  ) {
    if let before { changed(keyPath(), value, before) }
  }

  /// Gives a copied state an identity of its own.
  @inlinable
  public mutating func _$willModify() {
    if !isKnownUniquelyReferenced(&extent) { part() }
  }

  @usableFromInline
  mutating func part() { if !Reducing.keepsIdentity { extent = Extent(copying: extent) } }

  /// The mark of a field before it changes; nil if it was never read.
  @usableFromInline
  func mark<Member>(_ keyPath: AnyKeyPath, _ value: Member) -> _FieldMark? {
    extent.isObserved(keyPath) ? _FieldMark(mark: Sameness.mark(value)) : nil
  }

  @usableFromInline
  func changed<Member>(_ keyPath: AnyKeyPath, _ value: Member, _ before: _FieldMark) {
    if !Sameness.isSame(before.mark, value) { extent.changed(keyPath) }
  }
}

/// A field before a change.
public struct _FieldMark {
  fileprivate let mark: Sameness.Mark

  /// Returns true if an equal value replaces a value without an identity, which is not a change.
  @usableFromInline
  func isEqual<Member>(_ value: Member, _ newValue: Member) -> Bool {
    guard case .unknown = mark else { return false }
    return Sameness.areEqual(value, newValue)
  }

  /// The mark of a value that changes in place: a copy, if the value has no identity and can be compared.
  @usableFromInline
  func keeping<Member>(_ value: Member) -> Self {
    guard case .unknown = mark, let kept = Sameness.copy(of: value) else { return self }
    return Self(mark: .copy(kept))
  }
}

extension ObservationStateRegistrar: Hashable, Codable {
  /// Registrars are always equal: observers are not part of a state's value.
  public static func == (lhs: Self, rhs: Self) -> Bool { true }
  public func hash(into hasher: inout Hasher) {}
  public init(from decoder: any Decoder) throws { self.init() }
  public func encode(to encoder: any Encoder) throws {}
}

/// The observed fields of a state and its copies.
@usableFromInline
package final class Extent: Sendable {
  private static let lastNumber = Atomic<UInt64>(0)

  /// A number that is unique in this process.
  package static func nextNumber() -> UInt64 {
    lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  }

  let number = Extent.nextNumber()
  /// The number of the state from which this one was copied and changed; 0 for none.
  let origin: UInt64
  /// True if any field was read.
  @usableFromInline let hasFields = Atomic(false)
  private let fields = Mutex(Fields())

  private struct Fields {
    var own: [FieldKey: ObservedField] = [:]
    /// The fields of the original, until their observers are notified of a change. They also observe what is read
    /// meanwhile, so that each field has one observed object however often states diverge.
    var inherited: [FieldKey: ObservedField] = [:]
  }

  init() { origin = 0 }

  /// The extent of a copy that is about to change. An observer of a field of the original may have meant the copy.
  init(copying original: Extent) {
    origin = original.number
    guard original.isObserved else { return }
    let observed = original.fields.withLock { $0.inherited.merging($0.own) { $1 } }
    fields.withLock { $0.inherited = observed }
    hasFields.store(true, ordering: .releasing)
  }

  /// The observed field, created at the first read.
  func field(_ keyPath: AnyKeyPath) -> ObservedField {
    hasFields.store(true, ordering: .releasing)
    let key = FieldKey(keyPath: keyPath)
    return fields.withLock { fields in
      if let field = fields.own[key] ?? fields.inherited[key] { return field }
      let field = ObservedField()
      fields.own[key] = field
      return field
    }
  }

  /// True if any field was read.
  @inlinable var isObserved: Bool { hasFields.load(ordering: .acquiring) }

  /// Returns true if the field was read.
  func isObserved(_ keyPath: AnyKeyPath) -> Bool {
    let key = FieldKey(keyPath: keyPath)
    return fields.withLock { $0.own[key] != nil || $0.inherited[key] != nil }
  }

  /// Notifies the readers of the field.
  func changed(_ keyPath: AnyKeyPath) {
    let key = FieldKey(keyPath: keyPath)
    let (own, inherited) = fields.withLock { ($0.own[key], $0.inherited.removeValue(forKey: key)) }
    if let inherited { Reducing.note(inherited) }
    if let own { Reducing.note(own) }
  }
}

/// A field by its key path. Unchecked: the macro's key paths are literals without captured values.
private struct FieldKey: Hashable, @unchecked Sendable {
  let keyPath: AnyKeyPath
}
