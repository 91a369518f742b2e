import Dependencies
import Features
import HubCore
import IdentifiedCollections
import ReplicaCore
import ReplicatedArchitecture
internal import SchemaNames
import Wire

/// One version of the simulated feature, with which hubs and clients are compiled.
///
/// Unchecked: it never changes, and its functions capture only types.
struct SimulatedProgram: @unchecked Sendable {
  let name: StaticString
  let schema: Schema
  /// Creates the hub's engine.
  let makeEngine: (Recorder) -> SimulatedEngine
  /// Converts any version's state to this version.
  let view: (any SimulatedState) -> any SimulatedState
  /// Converts any version's state to the one with which a hub of this version begins.
  let migrated: (any SimulatedState) -> any SimulatedState
  /// Encodes an action.
  let encode: (UInt64, Change) -> [UInt8]
  /// Encodes an action that only this version has; nil if there is none.
  let encodeLabel: ((UInt64, String) -> [UInt8])?
  /// Encodes an action that only effects send.
  let encodeFollow: (AppFeature.Action) -> [UInt8]
  /// The path of clients' changes among the actions.
  let changePath: [PathStep]
  /// The parts that clients subscribe to, with mirrors and access to their bytes for the oracle.
  let parts: [SimulatedPart]
  /// The collections of whose windows there are mirrors; guests may read the first one.
  let collections: [SimulatedCollection]
  /// Predicts the actions of a client of this version, on its mirror of the whole state.
  let predict: (any Mirror) -> SimulatedPrediction?
  /// The effects by their names.
  let effect: (String?) -> SimulatedEffect
  /// The number of the effect that an encoded action restarts; nil for other actions.
  let resumedPromise: ([UInt8]) -> UInt64?

  static let older = SimulatedProgram(
    "older", OlderFeature.State.self, OlderFeature.Action.self, parts: OlderFeature.State.parts,
    collections: OlderFeature.State.collections, label: nil,
    engine: { recorder, prepare, onEvent in
      FeatureEngine(
        initialState: OlderFeature.State(), reducer: OlderFeature(recorder: recorder),
        views: SimulatedView.declared(OlderFeature.State.self, recorder), withDependencies: prepare, onEvent: onEvent)
    },
    predict: { SimulatedPrediction(on: $0, OlderFeature(recorder: Recorder.nobody), OlderFeature.Action.self) },
    view: { OlderFeature.State($0) })

  static let newer = SimulatedProgram(
    "newer", NewerFeature.State.self, NewerFeature.Action.self, parts: NewerFeature.State.parts,
    collections: NewerFeature.State.collections,
    label: { NewerFeature.Action.labelled($0, $1).encoded() },
    engine: { recorder, prepare, onEvent in
      FeatureEngine(
        initialState: NewerFeature.State(), reducer: NewerFeature(recorder: recorder),
        views: SimulatedView.declared(NewerFeature.State.self, recorder), withDependencies: prepare, onEvent: onEvent)
    },
    predict: { SimulatedPrediction(on: $0, NewerFeature(recorder: Recorder.nobody), NewerFeature.Action.self) },
    view: { NewerFeature.State($0) })

  /// The newer version as a hub that migrates the state of the older one, instead of converting it by name.
  static let migrating = SimulatedProgram(
    "newer, with a migration", NewerFeature.State.self, NewerFeature.Action.self, parts: newer.parts,
    collections: newer.collections, label: newer.encodeLabel,
    engine: { recorder, prepare, onEvent in
      FeatureEngine(
        initialState: NewerFeature.State(), reducer: NewerFeature(recorder: recorder),
        views: SimulatedView.declared(NewerFeature.State.self, recorder),
        migrations: [Migration(from: OlderFeature.State.self) { NewerFeature.State(migrating: $0) }],
        withDependencies: prepare, onEvent: onEvent)
    },
    predict: { SimulatedPrediction(on: $0, NewerFeature(recorder: Recorder.nobody), NewerFeature.Action.self) },
    view: { NewerFeature.State($0) },
    migrated: { ($0 as? OlderFeature.State).map { NewerFeature.State(migrating: $0) } ?? NewerFeature.State($0) })

  /// The paths of the newer version that also exist in the older one.
  private static let sharedPaths = newer.parts.map(\.path).dropLast(2)

  /// Returns true for a path of the newer version that also exists in the older one.
  static func isShared(_ path: [PathStep]) -> Bool {
    sharedPaths.contains(path.last?.isWindow == true ? path.dropLast() : path)
  }

  /// The indices of the parts that guests may read.
  static let guestParts = 1...2

  private init<State: SimulatedState, Action: SimulatedAction>(
    _ name: StaticString, _: State.Type, _: Action.Type, parts: [SimulatedPart],
    collections: [SimulatedCollection], label: ((UInt64, String) -> [UInt8])?,
    engine:
      @escaping (
        Recorder, (inout DependencyValues) -> Void, @escaping (HubEvent, State) -> [Action]
      ) -> FeatureEngine<State, Action>,
    predict: @escaping (TypedMirror<State>) -> SimulatedPrediction,
    view: @escaping (any SimulatedState) -> State, migrated: ((any SimulatedState) -> State)? = nil
  ) {
    self.name = name
    schema = Schema(state: State.self, action: Action.self)
    self.view = view
    self.migrated = migrated ?? view
    encode = { Action.tagged($0, $1).encoded() }
    encodeLabel = label
    encodeFollow = { Action.follow($0).encoded() }
    do { changePath = try schema.actionPath(named: "tagged") } catch { preconditionFailure("\(error)") }
    self.predict = { ($0 as? TypedMirror<State>).map(predict) }
    makeEngine = { recorder in
      let engine = engine(
        recorder,
        // The clock never advances; delayed actions of the hub come from the simulated shell.
        { $0.continuousClock = TestClock() },
        { event, state in
          switch event {
          case .started:
            // The previous process may have ended without events.
            (state.attached.isEmpty ? [] : [.attended("", 0)])
              + AppFeature.actions(for: event, in: state.app).map { .follow($0) }
          case .attached(let client): recorder.notesAttendance ? [.attended(client.name, 1)] : []
          case .detached(let client): recorder.notesAttendance ? [.attended(client.name, -1)] : []
          }
        })
      return SimulatedEngine(engine: RecordedEngine(engine, recorder), state: { engine.state })
    }
    effect = { SimulatedEffect(named: $0, of: Action.self) }
    resumedPromise = { (try? Action(decoding: $0.span.bytes))?.resumedPromise }
    (self.parts, self.collections) = (parts, collections)
  }
}

/// A hub's engine with access to its state.
struct SimulatedEngine {
  let engine: any Engine
  let state: () -> any SimulatedState
}

/// The behaviour of an effect, which the simulated shell derives from the effect's name.
struct SimulatedEffect {
  /// Later than the end of any simulation.
  private static var never: Duration { .seconds(1 << 40) }

  /// The delay from its start until it sends its action.
  var delay = Duration.zero
  /// The action; nil if it sends none.
  var action: AnyAction?
  /// True if it repeats forever, with the same delay.
  var repeats = false
  /// The number and the tag of the action that started it, if it is an echo.
  var echo: UInt64?
  var cause: UInt64?
  /// The number of the effect, if it outlives the hub.
  var promise: UInt64?
  /// Set if it has no end.
  var watch: Watch?

  init<Action: SimulatedAction>(named name: String?, of _: Action.Type) {
    func follow(_ action: AppFeature.Action) -> AnyAction { AnyAction(Action.follow(action)) }
    switch name {
    case "timer":
      (delay, action, repeats) = (.seconds(1), follow(.counter(.timerTicked)), true)
    case "sorting":
      (delay, action) = (.seconds(1), follow(.todos(.sortCompletedTodos)))
    case "fact of the counter":
      (delay, action) = (.milliseconds(300), follow(.counter(.numberFactResponse(.success("a number")))))
    case "fact of a favourite":
      (delay, action) = (.milliseconds(300), follow(.favourites(.factResponse(.success("a number")))))
    case let name?:
      let words = name.split(separator: " ")
      guard words.count == 4, let number = UInt64(words[1]), let milliseconds = Int(words[2]) else { return }
      (delay, cause) = (.milliseconds(milliseconds), UInt64(words[3]))
      if words[0] == "watch" || words[0] == "shared" {
        (watch, delay) = (words[0] == "watch" ? .own : .shared(Int(number)), Self.never)
      } else if words[0] == "promise" {
        (promise, action) = (number, AnyAction(Action.kept(number)))
      } else {
        (echo, action) = (number, AnyAction(Action.echoed(number)))
      }
    case nil: break
    }
  }
}

/// A place in the state that clients subscribe to.
struct SimulatedPart {
  let path: [PathStep]
  /// Creates a mirror and a function that returns its bytes.
  let makeMirror: () -> (any Mirror, () -> [UInt8]?)

  /// Creates a mirror that uses the schema.
  static func untyped() -> (any Mirror, () -> [UInt8]?) {
    let mirror = ValueMirror()
    return (mirror, { mirror.value?.encoded() })
  }

  static func part<State, Value>(_ path: StatePath<State, Value>) -> SimulatedPart {
    SimulatedPart(path: path.steps) {
      let mirror = TypedMirror<Value>()
      return (mirror, { mirror.part?.encoded() })
    }
  }
}

/// An ordered collection of whose windows clients have mirrors.
struct SimulatedCollection {
  let path: [PathStep]
  /// The window from a position on with a number of elements.
  let window: (Int, Int) -> SimulatedPart

  static func collection<State, Elements: WindowedCollection>(_ path: StatePath<State, Elements>) -> SimulatedCollection
  {
    SimulatedCollection(path: path.steps) { start, count in
      SimulatedPart(path: path.steps + [.window(start: start, count: count)]) {
        let mirror = TypedMirror<Window<Elements>>()
        return (mirror, { mirror.part?.encoded() })
      }
    }
  }
}

// Written twice, because the key path of a requirement is not that of the field.

extension OlderFeature.State {
  fileprivate static var parts: [SimulatedPart] {
    let state = StatePath<Self, Self>()
    return [
      .part(state), .part(state.items), .part(state.app), .part(state.app.todos), .part(state.app.counter.count),
      .part(state.chosen), .part(state.chosen.unwrapped()), .part(state.chosen.text), .part(state.mode),
      .part(state.mode.enumCase("edit", Note.self)), .part(state.mode.enumCase("edit", Note.self).stars),
      .part(state.numbers), .part(state.items[id: 1]), .part(state.items[id: 1].title),
      .part(state.items[id: 1].note), .part(state.items[id: 2].note.stars), .part(state.items[id: 2].marks),
      .part(state.attached), .part(state.awkward), .part(state.awkward.rows), .part(state.shared),
      .part(state.shared.rows),
    ]
  }
}

extension OlderFeature.State {
  fileprivate static var collections: [SimulatedCollection] {
    let state = StatePath<Self, Self>()
    return [
      .collection(state.items), .collection(state.numbers), .collection(state.items[id: 2].marks),
      .collection(state.shared.rows),
    ]
  }
}

extension NewerFeature.State {
  fileprivate static var collections: [SimulatedCollection] {
    let state = StatePath<Self, Self>()
    return [
      .collection(state.items), .collection(state.numbers), .collection(state.items[id: 2].marks),
      .collection(state.shared.rows),
    ]
  }
}

extension NewerFeature.State {
  fileprivate static var parts: [SimulatedPart] {
    let state = StatePath<Self, Self>()
    return [
      .part(state), .part(state.items), .part(state.app), .part(state.app.todos), .part(state.app.counter.count),
      .part(state.chosen), .part(state.chosen.unwrapped()), .part(state.chosen.text), .part(state.mode),
      .part(state.mode.enumCase("edit", Note.self)), .part(state.mode.enumCase("edit", Note.self).stars),
      .part(state.numbers), .part(state.items[id: 1]), .part(state.items[id: 1].title),
      .part(state.items[id: 1].note), .part(state.items[id: 2].note.stars), .part(state.items[id: 2].marks),
      .part(state.attached), .part(state.awkward), .part(state.awkward.rows), .part(state.shared),
      .part(state.shared.rows), .part(state.label),
      .part(state.items[id: 1].color),
    ]
  }
}

extension OlderFeature.State {
  init(_ other: any SimulatedState) {
    self.init()
    copy(from: other)
    guard let newer = other as? NewerFeature.State else {
      if let same = other as? Self { self = same }
      return
    }
    items = IdentifiedArray(
      uniqueElements: newer.items.map {
        var item = OlderFeature.Item(id: $0.id, title: $0.title)
        (item.note, item.marks) = ($0.note, $0.marks)
        return item
      })
  }
}

extension NewerFeature.State {
  init(_ other: any SimulatedState) {
    self.init()
    copy(from: other)
    guard let older = other as? OlderFeature.State else {
      if let same = other as? Self { self = same }
      return
    }
    items = IdentifiedArray(
      uniqueElements: older.items.map {
        var item = NewerFeature.Item(id: $0.id, title: $0.title)
        (item.note, item.marks) = ($0.note, $0.marks)
        return item
      })
  }
}

extension NewerFeature.State {
  /// What no conversion by name does: values of new fields from those of others, and another value of an old one.
  fileprivate init(migrating older: OlderFeature.State) {
    self.init(older)
    label = "\(older.items.count) items, \(older.echoCount) echoes"
    for index in items.indices { items[index].color = items[index].title.utf8.count }
    numbers.append(numbers.count)
  }
}

extension SimulatedState {
  /// Copies the fields that both versions have in the same form.
  fileprivate mutating func copy(from other: any SimulatedState) {
    (app, chosen, mode, numbers) = (other.app, other.chosen, other.mode, other.numbers)
    (attached, echoCount, awkward, shared) = (other.attached, other.echoCount, other.awkward, other.shared)
  }
}
