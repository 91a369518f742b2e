package import ComposableCore
package import SchemaBrowser
package import TerminalUI

/// The screens of a browser: a tab for each part of the state, and what lies over it.
package struct BrowserView: TerminalView {
  private let store: StoreOf<Browser>

  /// Creates the view of a browser.
  package init(store: StoreOf<Browser>) { self.store = store }

  package var body: some TerminalView {
    let store = store
    let prompt = store.state.prompt
    Tabs(selection: StoreBinding(get: { store.tabIndex }, set: { store.send(.tabOpened($0)) })) {
      for tab in store.tabs { Tab(tab.title) { PresentingPageView(store: store) } }
    }
    .keys(commands)
    .sheet(
      isPresented: StoreBinding(get: { store.overlay != nil }, set: { _ in store.send(.overlayClosed) }),
      title: overlayTitle
    ) {
      OverlayView(store: store)
    }
    .alert(store.overlay == nil ? prompt.map { $0.alert } : nil) { store.send(.promptAnswered($0)) }
  }

  private var overlayTitle: String {
    switch store.overlay {
    case .palette: "Actions"
    case .form(let form): form.draft.title
    case .path: "Go to"
    case .filter: "Filter"
    case .recent: "The last actions"
    case .reading(let title, _): title
    case .confirmation: "Remove"
    case nil: ""
    }
  }

  /// The keys that have a meaning on every page.
  private var commands: [KeyBinding] {
    let store = store
    func binding(_ names: String, _ label: String, _ help: String? = nil, _ action: Browser.Action) -> KeyBinding {
      KeyBinding(names, label, help: help) { store.send(action) }
    }
    let isPast = store.past != nil
    var bindings = [
      binding("backspace", "up", "the part that contains this one", .upTapped),
      binding("esc", isPast ? "present" : "", "leave the filter, the past, the part", .escapeTapped),
      binding("p", "path", "go to a path, which tab completes", .pathTapped),
    ]
    if !isPast {
      bindings.insert(binding(":", "actions", "all actions, those for the chosen row first", .paletteTapped), at: 0)
      bindings += [
        binding(".", "", "repeat the last action", .repeatTapped),
        binding("R", "", "the last ten actions, of which a digit repeats one", .recentTapped),
      ]
      if store.hub?.sharedParts.isEmpty == false {
        bindings += [
          binding("e", "edit", "set the chosen part", .editTapped),
          binding("i", "insert", "insert an element", .insertTapped),
          binding("d", "remove", "remove the chosen element", .removeTapped),
        ]
      }
      for (key, name) in store.configuration.keys.sorted(by: { $0.key < $1.key }) {
        bindings.append(binding(String(key), "", name, .boundKeyTapped(key)))
      }
    }
    if store.hub?.hasJournal == true {
      bindings += [
        binding("[", "", "the state before the last action", .pastTapped(-1)),
        binding("]", "", "the state after the next action", .pastTapped(1)),
      ]
    }
    return bindings
  }
}

extension Prompt {
  /// The prompt as the library shows it; the action of a button is its index.
  fileprivate var alert: AlertState<Int> {
    AlertState {
      TextState(title)
    } actions: {
      for (index, button) in buttons.enumerated() {
        ButtonState(
          role: button.isDestructive ? .destructive : button.isCancel ? .cancel : nil, action: .send(index)
        ) {
          TextState(button.label)
        }
      }
    } message: {
      TextState(message ?? "")
    }
  }
}
