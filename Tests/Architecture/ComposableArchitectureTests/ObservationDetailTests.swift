import ComposableArchitecture
import Testing

/// Which changes notify observers, according to `withObservationTracking` on plain states.
@Suite struct ObservationDetailTests {
  @ObservableState struct Child: Equatable, Identifiable {
    var id = 0
    var count = 0
  }

  /// A type that is not observable.
  struct Settings: Equatable {
    var isOn = false
    var tags: [Int] = []
  }

  /// A type that is neither observable nor equatable.
  struct Opaque {
    var value = 0
  }

  @ObservableState enum Choice: Equatable {
    case settings(Settings)
    case pair(Int, String)
    case child(Child)
    case nothing
  }

  @ObservableState enum Incomparable {
    case opaque(Opaque)
    case other
  }

  @ObservableState struct Parent: Equatable {
    var count = 0
    var name = ""
    var missing: Int?
    var settings = Settings()
    var child = Child()
    var optional: Child? = Child()
    var children = [Child(id: 1), Child(id: 2)]
    var rows: IdentifiedArrayOf<Child> = [Child(id: 1), Child(id: 2)]
    var numbers = [1, 2]
    var choice = Choice.settings(Settings())
    var choices = [Choice.settings(Settings()), .nothing]
    var choiceRows: IdentifiedArrayOf<Identified<Int, Choice>> = [Identified(.nothing, id: 1)]
  }

  @ObservableState struct Plain {
    var choice = Incomparable.opaque(Opaque())
    var opaque = Opaque()
  }

  /// Returns true if a change notifies the observers of the properties that `read` reads.
  private func notifies<State>(
    _ state: State, reading read: (State) -> Void, _ change: (inout State) -> Void
  ) -> Bool {
    var state = state
    let isNotified = LockIsolated(false)
    withObservationTracking {
      read(state)
    } onChange: {
      isNotified.setValue(true)
    }
    change(&state)
    return isNotified.value
  }

  @Test func anEqualValueIsNoChange() {
    let parent = Parent()
    #expect(
      !notifies(parent) {
        _ = $0.count
      } _: {
        $0.count = 0
      })
    #expect(
      !notifies(parent) {
        _ = $0.count
      } _: {
        $0.count += 0
      })
    #expect(
      !notifies(parent) {
        _ = $0.name
      } _: {
        $0.name = ""
      })
    #expect(
      !notifies(parent) {
        _ = $0.name
      } _: {
        $0.name.removeAll()
      })
    #expect(
      !notifies(parent) {
        _ = $0.missing
      } _: {
        $0.missing = nil
      })
    #expect(
      !notifies(parent) {
        _ = $0.settings
      } _: {
        $0.settings.isOn = false
      })
    #expect(
      !notifies(parent) {
        _ = $0.numbers
      } _: {
        $0.numbers = [1, 2]
      })
    #expect(
      !notifies(parent) {
        _ = $0.choice
      } _: {
        $0.choice = .settings(Settings())
      })
  }

  @Test func anotherValueIsAChange() {
    let parent = Parent()
    #expect(
      notifies(parent) {
        _ = $0.count
      } _: {
        $0.count = 1
      })
    #expect(
      notifies(parent) {
        _ = $0.count
      } _: {
        $0.count += 1
      })
    #expect(
      notifies(parent) {
        _ = $0.name
      } _: {
        $0.name = "a"
      })
    #expect(
      notifies(parent) {
        _ = $0.missing
      } _: {
        $0.missing = 1
      })
    #expect(
      notifies(parent) {
        _ = $0.settings
      } _: {
        $0.settings.isOn = true
      })
    #expect(
      notifies(parent) {
        _ = $0.settings
      } _: {
        $0.settings.tags.append(1)
      })
    #expect(
      notifies(parent) {
        _ = $0.numbers
      } _: {
        $0.numbers[0] = 3
      })
    #expect(
      notifies(parent) {
        _ = $0.numbers
      } _: {
        $0.numbers = [3]
      })
    #expect(
      notifies(Plain()) {
        _ = $0.opaque
      } _: {
        $0.opaque = Opaque()
      })
    #expect(
      notifies(Plain()) {
        _ = $0.opaque
      } _: {
        $0.opaque.value = 1
      })
  }

  @Test func aChildThatChangesInPlaceIsNoChangeOfItsParent() {
    let parent = Parent()
    #expect(
      !notifies(parent) {
        _ = $0.child
      } _: {
        $0.child.count = 1
      })
    #expect(
      !notifies(parent) {
        _ = $0.optional
      } _: {
        $0.optional?.count = 1
      })
    #expect(
      !notifies(parent) {
        _ = $0.children
      } _: {
        $0.children[0].count += 1
      })
    #expect(
      !notifies(parent) {
        _ = $0.rows
      } _: {
        $0.rows[0].count += 1
      })
    #expect(
      !notifies(parent) {
        _ = $0.rows
      } _: {
        $0.rows[id: 2]?.count += 1
      })
    #expect(
      notifies(parent) {
        _ = $0.children[0].count
      } _: {
        $0.children[0].count += 1
      })
    #expect(
      !notifies(parent) {
        _ = $0.children[1].count
      } _: {
        $0.children[0].count += 1
      })
  }

  @Test func aReplacedChildIsAChangeOfItsParent() {
    let parent = Parent()
    #expect(
      notifies(parent) {
        _ = $0.child
      } _: {
        $0.child = Child(id: 3)
      })
    #expect(
      notifies(parent) {
        _ = $0.optional
      } _: {
        $0.optional = nil
      })
    #expect(
      notifies(parent) {
        _ = $0.children
      } _: {
        $0.children[0] = Child(id: 3)
      })
    #expect(
      notifies(parent) {
        _ = $0.children
      } _: {
        $0.children.removeLast()
      })
    #expect(
      notifies(parent) {
        _ = $0.children
      } _: {
        $0.children.append(Child(id: 3))
      })
    #expect(
      notifies(parent) {
        _ = $0.children
      } _: {
        $0.children.swapAt(0, 1)
      })
    #expect(
      notifies(parent) {
        _ = $0.rows
      } _: {
        $0.rows.append(Child(id: 3))
      })
  }

  @Test func aPayloadThatIsNotObservableChangesWithinOneCase() {
    let parent = Parent()
    #expect(
      notifies(parent) {
        _ = $0.choice
      } _: {
        $0.choice = .settings(Settings(isOn: true))
      })
    var paired = parent
    paired.choice = .pair(1, "a")
    #expect(
      notifies(paired) {
        _ = $0.choice
      } _: {
        $0.choice = .pair(1, "b")
      })
    #expect(
      !notifies(paired) {
        _ = $0.choice
      } _: {
        $0.choice = .pair(1, "a")
      })
    #expect(
      notifies(paired) {
        _ = $0.choice
      } _: {
        $0.choice = .child(Child())
      })
    #expect(
      notifies(Plain()) {
        _ = $0.choice
      } _: {
        $0.choice = .opaque(Opaque(value: 1))
      })
    #expect(
      notifies(Plain()) {
        _ = $0.choice
      } _: {
        $0.choice = .other
      })
    #expect(
      notifies(parent) {
        _ = $0.choices
      } _: {
        $0.choices[0] = .settings(Settings(isOn: true))
      })
  }

  @Test func anObservablePayloadChangesInPlace() {
    var parent = Parent()
    parent.choice = .child(Child())
    func increment(_ choice: inout Choice) {
      guard case .child(var child) = choice else { return }
      child.count += 1
      choice = .child(child)
    }
    #expect(
      !notifies(parent) {
        _ = $0.choice
      } _: {
        increment(&$0.choice)
      })
    #expect(
      notifies(parent) {
        _ = $0.choice
      } _: {
        $0.choice = .child(Child())
      })
    #expect(
      notifies(parent) {
        _ = $0.choice
      } _: {
        $0.choice = .nothing
      })
  }

  @MainActor @Test func aRootEnumNotifiesOnlyOfChanges() {
    struct Feature: Reducer {
      func reduce(into state: inout Choice, action: Choice?) -> Effect<Choice?> {
        if let action { state = action }
        return .none
      }
    }
    let store = Store<Choice, Choice?>(initialState: .settings(Settings())) { Feature() }
    var calls = 0
    let subscription = observe {
      calls += 1
      _ = store.state
    }
    store.send(nil)
    #expect(calls == 1)
    store.send(.settings(Settings(isOn: true)))
    #expect(calls == 2)
    subscription.cancel()
  }
}
