internal import IssueReporting

/// A mutable part of a shared value.
final class PartLocation<Whole, Value>: Location {
  private let whole: any Location<Whole>
  private let path: ConstantKeyPath<WritableKeyPath<Whole, Value>>

  init(_ whole: any Location<Whole>, _ path: WritableKeyPath<Whole, Value>) {
    self.whole = whole
    self.path = ConstantKeyPath(path)
  }

  var root: any Reference { whole.root }
  func read() -> Value { whole.read()[keyPath: path.keyPath] }
  func readCurrent() -> Value { whole.readCurrent()[keyPath: path.keyPath] }

  func withLock<R>(at place: IssueLocation, _ body: (inout Value) throws -> R) rethrows -> R {
    try whole.withLock(at: place) { try body(&$0[keyPath: path.keyPath]) }
  }

  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    whole.subscribe { [path] in callback($0[keyPath: path.keyPath]) }
  }
}

/// A read-only part of a shared value.
final class ReadOnlyPartLocation<Whole, Value>: ReadableLocation {
  private let whole: any ReadableLocation<Whole>
  private let path: ConstantKeyPath<KeyPath<Whole, Value>>

  init(_ whole: any ReadableLocation<Whole>, _ path: KeyPath<Whole, Value>) {
    self.whole = whole
    self.path = ConstantKeyPath(path)
  }

  var root: any Reference { whole.root }
  func read() -> Value { whole.read()[keyPath: path.keyPath] }
  func readCurrent() -> Value { whole.readCurrent()[keyPath: path.keyPath] }

  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    whole.subscribe { [path] in callback($0[keyPath: path.keyPath]) }
  }
}

/// A value that a closure derives from a shared one.
final class DerivedLocation<Whole, Value>: ReadableLocation {
  private let whole: any ReadableLocation<Whole>
  private let derive: @Sendable (Whole) -> Value

  init(_ whole: any ReadableLocation<Whole>, _ derive: @escaping @Sendable (Whole) -> Value) {
    self.whole = whole
    self.derive = derive
  }

  var root: any Reference { whole.root }
  func read() -> Value { derive(whole.read()) }
  func readCurrent() -> Value { derive(whole.readCurrent()) }

  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    whole.subscribe { [derive] in callback(derive($0)) }
  }
}

/// A key path that crosses threads. It never changes, and is used only with the reference's lock or on a copy.
struct ConstantKeyPath<Path: AnyKeyPath>: @unchecked Sendable {  // Immutable; `Cell.state` guards its target.
  let keyPath: Path

  init(_ keyPath: Path) {
    self.keyPath = keyPath
  }
}
