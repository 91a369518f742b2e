import ComposableCore
import EventLoop
import Features
import Glibc
import ProgramOptions
import ReplicaCore
import StoreClient
import TerminalApp
import TerminalUI
import TerminalViews
import Wire

/// Connects the screens of the sample features to a hub.
final class Session {
  /// The command line.
  struct Settings {
    var terminal: TerminalSession.Settings
    /// The state directory whose journal is shown; nil for the hub's own, if this user may read it.
    var stateDirectory: String?
    /// True if the program ends if it cannot read that journal; otherwise it says so.
    var requiresJournal: Bool
    var predicts: Bool
  }

  /// The name among the hub's attendees.
  static let name = "storeterm \(storeHubVersion)"

  private let settings: Settings
  private let client: StoreClient<AppFeature.State, AppFeature.Action>
  private let counter: Attachment<Counter.State, Counter.Action>
  private let favourites: Attachment<FavouriteNumbers.State, FavouriteNumbers.Action>
  /// Attached when a screen first needs them, because they may be large.
  private let todos: TodosAttachment
  private let attendance: Attachment<HubState, Never>
  private let outcomes: ActionOutcomes
  private let session: TerminalSession
  private let model: TerminalModel
  private let journal: ActivityReader
  private var subscriptions: [ObjectIdentifier: StoreSubscription] = [:]

  /// The reason why the program ends with a failure.
  var failure: String? { session.failure }
  /// True if the hub runs a feature for which these screens were not made.
  private(set) var isForOtherFeature = false

  init(_ settings: Settings, on loop: EventLoop) throws {
    self.settings = settings
    var options = settings.terminal.replicaOptions(name: Self.name)
    options.subscribesToWholeState = false
    client = try StoreClient(loop: loop, path: settings.terminal.path, options: options)
    counter = client.attach(to: { $0.counter }, action: { .counter($0) }, Counter(), settings)
    favourites = client.attach(to: { $0.favourites }, action: { .favourites($0) }, FavouriteNumbers(), settings)
    attendance = client.attachToHub { $0 }
    let outcomes = try ActionOutcomes(on: loop)
    self.outcomes = outcomes
    let status = ConnectionStatus("StoreHub", path: settings.terminal.path, now: loop.now)
    let model = TerminalModel(status, ownProcess: getpid()) { outcomes.sent($0, mark: $1, ended: $2) }
    self.model = model
    session = try TerminalSession(status, settings.terminal, client, on: loop) { ScreensView(model) }
    let journal = try ActivityReader(for: model, on: loop)
    self.journal = journal
    todos = TodosAttachment(client, model) { [client] in
      client.attach(to: { $0.todos }, action: { .todos($0) }, Todos(), settings)
    } onChange: { [journal] in
      journal.changed(revision: $0)
    }
    // A hub that is waited for may create its journal later.
    if settings.requiresJournal, !settings.terminal.waitsForHub { try openJournal() }
  }

  func run() throws {
    session.follow(client, outcomes)
    client.onConnectionChange = { [weak self] in self?.connectionChanged() }
    follow(counter, model.counter)
    follow(favourites, model.favourites)
    attendance.onChange = { [weak self] in
      guard let self else { return }
      model.attendees = attendance.store
    }
    model.onOpen = { [weak self] in self?.opened($0) }
    try session.run { client.start() }
  }

  private func follow<Step: UndoStep>(
    _ attachment: Attachment<Step.State, Step.Action>, _ part: SharedPart<Step>
  ) {
    attachment.onChange = { [weak self] in
      guard let self else { return }
      part.show(attachment.store)
      subscriptions[ObjectIdentifier(attachment)] = attachment.store?.subscribe { [weak self] _ in
        self?.journal.changed(revision: attachment.revision)
      }
      if counter.isKnown, favourites.isKnown { session.show() }
    }
  }

  /// Attaches the todos when a screen needs them: the one that shows them, and as a whole the one that shows all actions,
  /// which must learn of all changes. They stay attached, so that the screen opens immediately the next time, and undo
  /// finds them.
  private func opened(_ screen: TerminalModel.Screen) {
    if screen == .todos { todos.start() }
    guard screen == .activity else { return }
    todos.needAll()
    journal.update()
  }

  private func connectionChanged() {
    isForOtherFeature = client.isHubOfOtherFeature
    session.connectionChanged()
    guard client.connection == .live else { return }
    todos.connectionChanged()
    do { try openJournal() } catch { session.host.say("\(error)", isBad: true) }
  }

  private func openJournal() throws {
    if let directory = settings.stateDirectory { return try journal.open(directory) }
    // A journal that this user may not read is no failure.
    if let directory = client.hubStateDirectory { try? journal.open(directory) }
  }
}

extension StoreClient {
  /// Attaches a part, with predictions unless the user has switched them off.
  fileprivate func attach<R: Reducer>(
    to path: (StatePath<State, State>) -> StatePath<State, R.State>, action: @escaping (R.Action) -> Action,
    _ reducer: R, _ settings: Session.Settings
  ) -> Attachment<R.State, R.Action> where R.State: Replicated {
    settings.predicts ? attach(to: path, action: action, predictingWith: reducer) : attach(to: path, action: action)
  }
}
