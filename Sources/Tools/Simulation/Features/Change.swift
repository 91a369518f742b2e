import Features
import IdentifiedCollections
internal import RandomNumbers
import ReplicatedArchitecture

// One feature in two versions with which a hub or a client may have been compiled. The types are declared twice; the
// logic is written once, below.

/// A change of the simulated feature.
@Replicated
enum Change: Equatable, Sendable {
  /// An action of the feature that `storehubd` runs.
  case app(AppFeature.Action)
  /// Changes a random part, as determined by the number.
  case random(UInt64)
  /// Starts an effect that sends an action after this number of milliseconds.
  case echo(after: Int)
  /// Cancels all such effects.
  case stopEchoes
  /// Sends this number of actions in the same turn.
  case chain(Int)
  /// Adds this number of items.
  case fill(Int)
  /// Changes the awkward part, as determined by the number.
  case awkward(UInt64)
  /// Starts an effect that sends an action after this number of milliseconds, and that outlives the hub.
  case promise(after: Int)
  /// Cancels all such effects.
  case breakPromises
  /// A change of the shared model.
  case shared(SharedChange<SharedPlan>)
  /// Starts an effect that runs until its client cancels it.
  case watch
  /// Starts, or holds, the shared effect with this number, which runs until nobody holds it.
  case hold(Int)
}

@Replicated
struct Note: Equatable, Sendable {
  var text = ""
  var stars = 0
}

@Replicated
enum Mode: Equatable, Sendable {
  case list
  case edit(Note)
  case move(Int, Note)
}

/// An item of a list in either version.
protocol SimulatedItem: Replicated, Equatable, Identifiable, Sendable where ID == Int {
  var id: Int { get }
  var title: String { get set }
  var note: Note? { get set }
  var marks: [Int] { get set }
  init(id: Int, title: String)
}

/// A state of either version.
protocol SimulatedState: Replicated, Equatable, Sendable {
  associatedtype Item: SimulatedItem
  var app: AppFeature.State { get set }
  var items: IdentifiedArrayOf<Item> { get set }
  var chosen: Note? { get set }
  var mode: Mode { get set }
  var numbers: [Int] { get set }
  var attached: [String: Int] { get set }
  var echoCount: Int { get set }
  var awkward: Awkward { get set }
  var shared: SharedPlan { get set }
  init()
}

/// An action of either version.
protocol SimulatedAction: WireValue, Equatable, Sendable {
  /// A client's change; the tag is the client's name for it.
  static func tagged(_ tag: UInt64, _ change: Change) -> Self
  /// An action sent by effects of the real feature.
  static func follow(_ action: AppFeature.Action) -> Self
  /// An action sent by an effect after a delay.
  static func echoed(_ number: UInt64) -> Self
  /// An action sent by an effect that outlives the hub.
  static func kept(_ number: UInt64) -> Self
  /// Restarts such an effect.
  static func resumed(_ number: UInt64, after: Int) -> Self
  /// The number of the effect that this action restarts; nil for other actions.
  var resumedPromise: UInt64? { get }
  /// A client has attached or detached.
  static func attended(_ name: String, _ difference: Int) -> Self
}

/// The tags of the reduced actions, in order.
///
/// Unchecked: a simulation runs on one thread.
final class Recorder: @unchecked Sendable {
  /// The part that a roll-back of the engine restores.
  private struct Notes {
    var tags: [UInt64] = []
    var lastEcho: UInt64
    var owedEchoes: [UInt64] = []
    var owedPromises: [UInt64] = []
    var resumed: [UInt64] = []
    var watches: [UInt64: Watch] = [:]
  }

  private var notes: Notes
  private var saved: Notes?
  /// True if the feature reacts to attaching and detaching clients.
  let notesAttendance: Bool
  /// True if the engine checks that its state can be read back.
  let readsBack: Bool
  /// True if views take other parameters than those of their clients, a planted bug.
  var mixesUpParameters = false
  /// True if the feature only predicts. It then leaves out awkward changes: the hub refuses some of them, and a state
  /// that cannot be read has no certain bytes.
  let predicts: Bool
  /// A recorder for features that only predict.
  static var nobody: Recorder { Recorder(notesAttendance: false, epoch: 0, predicts: true) }

  init(notesAttendance: Bool, epoch: UInt64, readsBack: Bool = false, predicts: Bool = false) {
    (self.notesAttendance, self.readsBack, self.predicts) = (notesAttendance, readsBack, predicts)
    notes = Notes(lastEcho: epoch << 32)
  }

  func note(_ tag: UInt64) { notes.tags.append(tag) }

  func take() -> [UInt64] {
    defer { notes.tags.removeAll(keepingCapacity: true) }
    return notes.tags
  }

  // MARK: Effects

  /// The echoes that were requested and not cancelled, and have not arrived yet.
  var owedEchoes: [UInt64] { notes.owedEchoes }

  /// Records the request of an echo, and returns a number that is unique among echoes.
  func nextEcho() -> UInt64 {
    notes.lastEcho += 1
    let echo = Tag.echo | notes.lastEcho
    notes.owedEchoes.append(echo)
    return echo
  }

  /// Records that an echo has arrived.
  func noteEcho(_ echo: UInt64) {
    note(echo)
    notes.owedEchoes.removeAll { $0 == echo }
  }

  /// Records that an echo has arrived and was rolled back.
  func forgetEcho(_ echo: UInt64) { notes.owedEchoes.removeAll { $0 == echo } }

  /// Records that all echoes are cancelled.
  func cancelEchoes() { notes.owedEchoes.removeAll() }

  /// The effects that outlive the hub and have begun and not ended, in ascending order.
  var owedPromises: [UInt64] { notes.owedPromises.sorted() }

  /// Records the beginning of an effect that outlives the hub, and returns its number.
  func nextPromise() -> UInt64 {
    notes.lastEcho += 1
    notes.owedPromises.append(notes.lastEcho)
    return notes.lastEcho
  }

  /// Records that such an effect is restarted.
  func resume(_ promise: UInt64) {
    notes.owedPromises.append(promise)
    notes.resumed.append(promise)
  }

  /// Records that such an effect has ended.
  func end(_ promise: UInt64) { notes.owedPromises.removeAll { $0 == promise } }

  /// Records that all such effects are cancelled.
  func cancelPromises() { notes.owedPromises.removeAll() }

  /// Takes the restarts since the last call, in order.
  func takeResumed() -> [UInt64] {
    defer { notes.resumed.removeAll() }
    return notes.resumed
  }

  /// The actions that have started or held an effect without an end, by their tags.
  var watches: [UInt64: Watch] { notes.watches }

  /// Records such an action.
  func noteWatch(_ tag: UInt64, _ watch: Watch) { notes.watches[tag] = watch }

  // MARK: Roll-backs

  func save() { saved = notes }

  func restore() { notes = saved ?? notes }
}

enum EchoID: Hashable, Sendable { case echo, promise }

/// An effect without an end.
enum Watch: Hashable, Sendable {
  /// That of one action.
  case own
  /// One for all actions with a number.
  case shared(Int)
}

extension SimulatedState {
  mutating func apply<Action: SimulatedAction>(
    _ change: Change, tag: UInt64, _ recorder: Recorder
  ) -> Effect<Action> {
    recorder.note(tag)
    switch change {
    case .app(let action): return .send(.follow(action))
    case .random(let seed):
      var chance = SplitMix(seed: seed)
      self.change(&chance)
      return .none
    case .echo(let milliseconds):
      // The simulated shell reads the name and does not run the operation.
      return .run(name: "echo \(recorder.nextEcho()) \(milliseconds) \(tag)") { _ in }.cancellable(id: EchoID.echo)
    case .stopEchoes:
      recorder.cancelEchoes()
      return .cancel(id: EchoID.echo)
    case .promise(let milliseconds): return promise(recorder.nextPromise(), after: milliseconds, tag: tag)
    case .breakPromises:
      recorder.cancelPromises()
      return .cancel(id: EchoID.promise)
    case .watch:
      recorder.noteWatch(tag, .own)
      return .run(name: "watch 0 0 \(tag)") { _ in }
    case .hold(let number):
      recorder.noteWatch(tag, .shared(number))
      return .run(name: "shared \(number) 0 \(tag)") { _ in }.shared(id: Watch.shared(number))
    case .chain(let count):
      return .merge((0..<min(max(count, 0), 8)).map { _ in .send(.follow(.counter(.incrementButtonTapped))) })
    case .fill(let count):
      let first = 100 + items.count
      for id in first..<first + min(max(count, 0), 5000) where items[id: id] == nil {
        items.append(Item(id: id, title: "item \(id)"))
      }
      return .none
    case .awkward where recorder.predicts: return .none
    case .awkward(let seed):
      var chance = SplitMix(seed: seed)
      awkward.change(&chance)
      return .none
    case .shared(let change):
      // All changes of clients can be merged. The oracle misses the work of one that could not.
      try? change.apply(to: &shared)
      return .none
    }
  }

  /// Restarts an effect of an earlier hub.
  func resume<Action: SimulatedAction>(
    _ number: UInt64, after milliseconds: Int, _ recorder: Recorder
  ) -> Effect<Action> {
    recorder.resume(number)
    return promise(number, after: milliseconds, tag: 0)
  }

  private func promise<Action: SimulatedAction>(
    _ number: UInt64, after milliseconds: Int, tag: UInt64
  ) -> Effect<Action> {
    .run(name: "promise \(number) \(milliseconds) \(tag)") { _ in }.cancellable(id: EchoID.promise)
      .restart(with: .resumed(number, after: milliseconds))
  }

  /// Records that a client has attached or detached; without a name, that none is attached.
  mutating func note(_ name: String, _ difference: Int) {
    guard !name.isEmpty else { return attached.removeAll() }
    let count = attached[name, default: 0] + difference
    attached[name] = count == 0 ? nil : count
  }

  /// Makes one random change; ids are reused after their removal.
  private mutating func change(_ chance: inout SplitMix) {
    let id = chance.number(0...7)
    let note = Note(text: "\(chance.number(0...2))", stars: chance.number(0...2))
    switch chance.number(0...15) {
    case 0, 1:
      let count = items.count
      items.insert(Item(id: id, title: "new"), at: chance.number(0...count))
    case 2: items.remove(id: id)
    case 3, 4: items[id: id]?.title = "title \(note.stars)"
    case 5:
      let isNoted = items[id: id]?.note != nil
      items[id: id]?.note = isNoted ? nil : note
    case 6: items[id: id]?.note?.stars += 1
    case 7: items[id: id]?.marks.append(note.stars)
    case 8:
      let last = items.count - 1
      if last > 0 { items.move(fromOffsets: [last], toOffset: 0) }
    case 9: chosen = chosen == nil ? note : nil
    case 10: chosen?.text += "."
    case 11: mode = [.list, .edit(note), .move(id, note)][note.stars]
    case 12:
      if case .edit(var note) = mode {
        note.stars += 1
        mode = .edit(note)
      }
    case 13: if numbers.count < 50 { numbers.append(id) } else { numbers.removeAll() }
    default: if items[id: id] != nil { items[id: id] = Item(id: id, title: "other") }
    }
  }
}
