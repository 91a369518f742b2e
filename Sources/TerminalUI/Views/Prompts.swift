public import CasePaths
public import FeatureCore
internal import PromptState

extension TerminalView {
  /// Shows an alert over the screen while there is one.
  ///
  /// ```swift
  /// .alert(store.alert) { action in store.send(.alert(action.map { .presented($0) } ?? .dismiss)) }
  /// ```
  ///
  /// - Parameters:
  ///   - alert: The alert; nil to show none.
  ///   - heading: The title in the frame of an alert without a message, whose own title is then the text.
  ///   - send: Called with the action of the pressed button; nil to dismiss the alert.
  public func alert<ButtonAction>(
    _ alert: AlertState<ButtonAction>?, heading: String = "", send: @escaping (ButtonAction?) -> Void
  ) -> some TerminalView {
    PromptView(content: self, dialog: alert.map { Dialog($0, heading: heading) }, id: alert?.id, send: send)
  }

  /// Shows a confirmation dialog over the screen while there is one.
  ///
  /// - Parameters:
  ///   - dialog: The dialog; nil to show none.
  ///   - send: Called with the action of the pressed button; nil to dismiss the dialog.
  public func confirmationDialog<ButtonAction>(
    _ dialog: ConfirmationDialogState<ButtonAction>?, send: @escaping (ButtonAction?) -> Void
  ) -> some TerminalView {
    PromptView(content: self, dialog: dialog.map { Dialog($0) }, id: dialog?.id, send: send)
  }

  /// Shows the alert of a feature: `.alert(store, state: \.alert, action: \.alert)`.
  public func alert<State, Action, ButtonAction>(
    _ store: Store<State, Action>, state: KeyPath<State, AlertState<ButtonAction>?>,
    action: CaseKeyPath<Action, PresentationAction<ButtonAction>>
  ) -> some TerminalView {
    alert(store.state[keyPath: state], send: Self.sender(store, action))
  }

  /// Shows the confirmation dialog of a feature: `.confirmationDialog(store, state: \.dialog, action: \.dialog)`.
  public func confirmationDialog<State, Action, ButtonAction>(
    _ store: Store<State, Action>, state: KeyPath<State, ConfirmationDialogState<ButtonAction>?>,
    action: CaseKeyPath<Action, PresentationAction<ButtonAction>>
  ) -> some TerminalView {
    confirmationDialog(store.state[keyPath: state], send: Self.sender(store, action))
  }

  private static func sender<State, Action, ButtonAction>(
    _ store: Store<State, Action>, _ action: CaseKeyPath<Action, PresentationAction<ButtonAction>>
  ) -> (ButtonAction?) -> Void {
    let path = AnyCasePath(action)
    return { action in
      store.send(path.embed(action.map { .presented($0) } ?? .dismiss))
    }
  }

  /// Shows another view in a frame over the screen, which then gets all keys. Esc closes it.
  ///
  /// - Parameters:
  ///   - isPresented: True while the view is shown.
  ///   - title: The title in the frame.
  ///   - content: The view.
  public func sheet(
    isPresented: StoreBinding<Bool>, title: String = "", @TerminalViewBuilder content: () -> ViewGroup
  ) -> some TerminalView {
    SheetView(
      content: self, sheet: isPresented.wrappedValue ? content() : nil, title: title, leavesTabs: false,
      close: { isPresented.wrappedValue = false })
  }

  /// As `sheet`, but the keys of the tabs around the view keep their meaning, as with an alert: what is presented covers
  /// one of their screens.
  package func tabSheet(
    isPresented: StoreBinding<Bool>, title: String = "", @TerminalViewBuilder content: () -> ViewGroup
  ) -> some TerminalView {
    SheetView(
      content: self, sheet: isPresented.wrappedValue ? content() : nil, title: title, leavesTabs: true,
      close: { isPresented.wrappedValue = false })
  }
}

struct PromptView<Content: TerminalView, ButtonAction>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let dialog: Dialog<ButtonAction>?
  let id: PromptID?
  let send: (ButtonAction?) -> Void

  func makeNode() -> OverlaidNode { OverlaidNode() }

  func update(_ node: OverlaidNode) {
    node.show(content)
    guard let dialog else {
      node.present(nil)
      return
    }
    let node = node.present(DialogView(dialog: dialog, send: send))
    // Another alert begins with its own button.
    if let node = node as? DialogNode<ButtonAction>, node.id != id { (node.id, node.choice) = (id, nil) }
  }
}

struct SheetView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let sheet: ViewGroup?
  let title: String
  let leavesTabs: Bool
  let close: () -> Void

  func makeNode() -> OverlaidNode { OverlaidNode() }

  func update(_ node: OverlaidNode) {
    node.show(content)
    guard let sheet else {
      node.present(nil)
      return
    }
    let framed = sheet.border(title).keys([KeyBinding("esc", "close", action: close)])
    node.present(CenteredView(content: framed, leavesTabs: leavesTabs))
  }
}

/// A view in the middle of the screen, over others.
struct CenteredView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  var leavesTabs = false

  func makeNode() -> CenteredNode { CenteredNode() }
  func update(_ node: CenteredNode) {
    node.keepsTabs = leavesTabs
    node.show(content)
  }
}

final class CenteredNode: WrapperNode {
  var keepsTabs = false
  override var leavesTabs: Bool { keepsTabs }

  override func place(in rect: Rect) {
    let need = widthNeed()
    let columns = min(max(need.ideal, need.grows ? 60 : 0), rect.columns)
    let rows = min(heightNeed(width: columns).ideal, rect.rows)
    super.place(
      in: Rect(
        row: rect.row + (rect.rows - rows) / 2, column: rect.column + (rect.columns - columns) / 2, rows: rows,
        columns: columns))
  }

  override func draw(on region: inout Region) {
    region.clear()
    drawChildren(on: region)
  }
}

/// The node of a view with another one over the screen.
final class OverlaidNode: WrapperNode {
  private var top: ViewNode?

  override var overlay: ViewNode? { top }

  @discardableResult
  func present(_ view: (any TerminalView)?) -> ViewNode? {
    guard let view else {
      top?.removed()
      top = nil
      return nil
    }
    top = child(view, replacing: top)
    return top
  }

  override func removed() {
    top?.removed()
    super.removed()
  }
}

struct DialogView<ButtonAction>: PrimitiveView {
  typealias Body = Never
  let dialog: Dialog<ButtonAction>
  let send: (ButtonAction?) -> Void

  func makeNode() -> DialogNode<ButtonAction> { DialogNode(dialog) }
  func update(_ node: DialogNode<ButtonAction>) { (node.dialog, node.send) = (dialog, send) }
}

final class DialogNode<ButtonAction>: ViewNode {
  var dialog: Dialog<ButtonAction>
  var send: (ButtonAction?) -> Void = { _ in }
  /// The button that the user has chosen.
  var choice: Int?
  var id: PromptID?

  init(_ dialog: Dialog<ButtonAction>) { self.dialog = dialog }

  override var isFocusable: Bool { true }
  override var leavesTabs: Bool { true }

  override func draw(on region: inout Region) { dialog.draw(choice, in: 0..<region.size.rows, on: &region) }

  override var bindings: [KeyBinding] {
    guard !dialog.buttons.isEmpty else { return [KeyBinding("esc", "dismiss")] }
    let choose = dialog.buttons.count > 1 ? [KeyBinding("left right", "choose")] : []
    let selected = dialog.buttons[dialog.selected(choice)].label.lowercased()
    return choose + [KeyBinding("enter", selected), KeyBinding("esc", dialog.cancelLabel.lowercased())]
  }

  override func pressed(_ key: Key) -> Bool {
    var key = key
    if case .click(let row, let column) = key { key = .click(row: row - frame.row, column: column - frame.column) }
    switch dialog.answer(key, choice, in: 0..<frame.rows, frame.size) {
    case .selected(let index): choice = index
    case .pressed(let action): send(action)
    case nil: return false
    }
    return true
  }
}
