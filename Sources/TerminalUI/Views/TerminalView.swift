/// A part of a terminal's screen: a value that describes it, as a function of a `Store`.
///
/// ```swift
/// struct CounterView: TerminalView {
///   let store: StoreOf<Counter>
///   var body: some TerminalView {
///     Text("\(store.count)").bold()
///       .key("+", "up") { store.send(.incrementButtonTapped) }
///   }
/// }
/// ```
///
/// `body` is evaluated again when a value has changed that it has read from a store, and then with the bodies of the
/// views in it, but not with those around it. Several views in a body are a ``Column``.
@MainActor
public protocol TerminalView {
  /// The type of `body`; `Never` for the views of this library.
  associatedtype Body: TerminalView

  /// The content.
  @TerminalViewBuilder var body: Body { get }
}

extension Never: TerminalView {
  public typealias Body = Never
}

extension TerminalView where Body == Never {
  /// A view of this library draws itself.
  public var body: Never { Self.noBody() }

  private static func noBody() -> Never { fatalError("\(Self.self) has no body; it draws itself") }
}

/// A view of this library, which has a node of its own.
package protocol PrimitiveView: TerminalView where Body == Never {
  /// The node that draws the view.
  associatedtype Node: ViewNode

  /// Creates a node, which `update` then completes.
  func makeNode() -> Node

  /// Shows the view in a node that has shown none, or another value of the same type.
  func update(_ node: Node)
}

/// A view of any type.
public struct AnyTerminalView: TerminalView {
  public typealias Body = ViewGroup
  let view: any TerminalView

  /// Creates a view of any type.
  public init(_ view: any TerminalView) { self.view = view }

  /// The view.
  public var body: ViewGroup { ViewGroup(view) }
}
