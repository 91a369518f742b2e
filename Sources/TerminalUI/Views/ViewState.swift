internal import FeatureCore

/// A value of a view's own, such as the open tab, which stays as long as the view is on the screen.
///
/// ```swift
/// struct DetailsView: TerminalView {
///   @ViewState var isOpen = false
///   var body: some TerminalView {
///     Text(isOpen ? "…" : "press enter").key("enter", "open") { isOpen.toggle() }
///   }
/// }
/// ```
///
/// `$isOpen` is a binding for controls. State that is worth a test or has effects belongs into a store.
@MainActor
@propertyWrapper
public struct ViewState<Value> {
  private let box: ViewStateBox<Value>

  /// Creates a state with the value that it has when the view appears.
  public init(wrappedValue: Value) { box = ViewStateBox(wrappedValue) }

  /// The value. A change evaluates the bodies that have read it.
  public var wrappedValue: Value {
    get { box.storage.read() }
    nonmutating set { box.storage.write(newValue) }
  }

  /// The value as a binding.
  public var projectedValue: StoreBinding<Value> {
    let box = box
    return StoreBinding(get: { box.storage.read() }, set: { box.storage.write($0) })
  }
}

extension ViewState: StatefulProperty {
  func move(from old: Any) {
    guard let old = old as? Self else { return }
    box.storage = old.box.storage
  }
}

/// A property whose value stays when the view is created again.
@MainActor
private protocol StatefulProperty {
  func move(from old: Any)
}

private final class ViewStateBox<Value> {
  final class Storage {
    private var value: Value
    private let field = ObservedField()

    init(_ value: Value) { self.value = value }

    func read() -> Value {
      field.access()
      return value
    }

    func write(_ newValue: Value) {
      value = newValue
      Reducing.notify { field.changed() }
    }
  }

  var storage: Storage

  init(_ value: Value) { storage = Storage(value) }
}

/// The states of views that are created again.
enum ViewStates {
  /// Gives a view the states of the one that it replaces.
  static func move<View>(from old: View, to new: View) {
    for (old, new) in zip(Mirror(reflecting: old).children, Mirror(reflecting: new).children) {
      (new.value as? any StatefulProperty)?.move(from: old.value)
    }
  }
}
