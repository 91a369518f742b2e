internal import ComposableCore
internal import Dependencies
package import EventLoop
internal import Glibc
internal import ReplicaCore
internal import SchemaBrowser
package import TerminalApp
internal import TerminalUI
internal import TerminalViews

/// A terminal client of a hub of any feature: its connection, its screen, and the files that it reads.
package final class BrowserSession {
  /// The command line.
  package struct Settings {
    package var terminal: TerminalSession.Settings
    /// The state directory whose journal is shown; nil for the hub's own, if this user may read it.
    package var stateDirectory: String?
    /// True if the program ends if it cannot read that journal; otherwise it says so.
    package var requiresJournal = false
    /// The file with the configuration; nil for those of the hub's name.
    package var configurationFile: String?

    package init(_ terminal: TerminalSession.Settings) { self.terminal = terminal }
  }

  private let settings: Settings
  private let loop: EventLoop
  private let link: HubLink
  private let store: StoreOf<Browser>
  private let session: TerminalSession
  private var subscription: StoreSubscription?
  private var journal: BrowserJournal?
  /// Runs until something can be sent again.
  private var quietTimer: Timer?
  private var journalTimer: Timer?
  private var isJournalShown = false
  private var isFollowing = false
  private var mustFollow = false
  /// Called when no action is pending any more, if the program waits for that.
  private var onSettled: (() -> Void)?
  private var shownNoticeCount = 0
  /// The reason why the program ends with a failure.
  package var failure: String? { session.failure }

  /// Creates a session, which connects when it runs.
  package init(_ settings: Settings, name: String, on loop: EventLoop) throws {
    (self.settings, self.loop) = (settings, loop)
    var options = settings.terminal.replicaOptions(name: name)
    options.requestsDocumentation = true
    let link = try HubLink(on: loop, to: settings.terminal.path, options: options)
    self.link = link
    store = Store(initialState: Browser.State()) {
      Browser()
    } withDependencies: {
      $0.browserHub = BrowserHub { try await link.send($0) }
    }
    let store = store
    let status = ConnectionStatus("storeterm", path: settings.terminal.path, now: loop.now)
    session = try TerminalSession(status, settings.terminal, link, on: loop) {
      RootView(store: store, status: status)
    }
  }

  /// Runs until the user ends the program, or it cannot go on.
  package func run() throws {
    link.onEvent = { [weak self] event in
      // What has just changed must not be answered by a key that was pressed before.
      self?.tick()
      self?.store.send(event)
    }
    link.onAnswer = { [weak self] in self?.tick() }
    link.onConnectionChange = { [weak self] in self?.connectionChanged() }
    session.onTick = { [weak self] in self?.tick() }
    session.awaitLastActions = { [weak self] done in
      guard let self, !store.pending.isEmpty else { return false }
      onSettled = done
      return true
    }
    quietTimer = try Timer(on: loop) { [weak self] in self?.tick() }
    journalTimer = try Timer(on: loop) { [weak self] in self?.readJournal() }
    tick()
    subscription = store.subscribe { [weak self] _ in self?.follow() }
    try session.run { link.start() }
  }

  private func tick() {
    link.rest()
    store.send(.timePassed(now: loop.now, wallTime: Int64(time(nil)) * 1000))
  }

  // MARK: The store

  /// Does what the state asks for: subscriptions, messages, the past.
  private func follow() {
    guard !isFollowing else { return mustFollow = true }
    isFollowing = true
    repeat {
      mustFollow = false
      let state = store.withState { $0 }
      link.follow(state.scopes, hub: [.clients, .hub].contains(state.tab.content))
      if let notice = state.notice, state.noticeCount != shownNoticeCount {
        session.host.say(notice.text, isBad: notice.isBad)
      }
      shownNoticeCount = state.noticeCount
      if state.quietUntil > state.now { quietTimer?.start(after: max(.zero, state.quietUntil - loop.now)) }
      followJournal(state.tab.content == .activity)
      session.ticksAlways = showsTimes
      if let intent = state.intent { perform(intent) }
      if state.pending.isEmpty { onSettled.take()?() }
    } while mustFollow
    isFollowing = false
  }

  private func perform(_ intent: Browser.Intent) {
    store.send(.intentDone)
    do {
      switch intent {
      case .showPast(let steps?): store.send(.pastShown(try journal?.state(after: steps, from: store.past)))
      case .showPast(nil): store.send(.pastShown(nil))
      case .showActivity(let id):
        if let lines = try journal?.details(of: id) { store.send(.found(title: "Action", lines: lines)) }
      }
    } catch {
      store.send(.said(Notice("\(error)", isBad: true)))
    }
  }

  private func followJournal(_ isShown: Bool) {
    guard isShown != isJournalShown else { return }
    isJournalShown = isShown
    if isShown { journalTimer?.start(after: .zero) } else { journalTimer?.stop() }
  }

  private func readJournal() {
    guard let journal else { return }
    do {
      if let lines = try journal.newLines() { store.send(.activityChanged(lines)) }
    } catch {
      store.send(.said(Notice("\(error)", isBad: true)))
      return
    }
    journalTimer?.start(after: journal.hasOlder ? .milliseconds(1) : .milliseconds(500))
  }

  // MARK: The connection

  private func connectionChanged() {
    session.hasContent = store.hub != nil
    session.connectionChanged()
    switch link.connection {
    case .live, .connecting(_, nil): connected()
    case .stale: store.send(.linkChanged(.away))
    default: break
    }
  }

  /// True if the screen shows ages or rates; otherwise an idle program does nothing.
  private var showsTimes: Bool { store.tab.content == .clients || store.configuration.format.dates == .relative }

  private func connected() {
    guard let schema = link.schema else { return }
    var problem: String?
    do {
      do { try openJournal() } catch {
        guard !settings.requiresJournal else { throw error }
        problem = "\(error)"
      }
      if store.hub == nil { try readConfiguration() }
    } catch {
      return session.quit(because: "\(error)")
    }
    store.send(
      .connected(
        HubDescription(
          link.hubName, schema, documentation: link.documentation, mayReadHub: link.mayReadHub,
          hasJournal: journal != nil, windowLimit: link.windowLimit, rights: link.rights)))
    session.show()
    if let problem { store.send(.said(Notice(problem, isBad: true))) }
    if link.connection == .live { store.send(.linkChanged(.live)) }
  }

  private func openJournal() throws {
    guard journal == nil else { return }
    if let directory = settings.stateDirectory { return journal = try BrowserJournal(directory) }
    // A journal that this user may not read is no failure.
    if let directory = link.stateDirectory { journal = try? BrowserJournal(directory) }
  }

  private func readConfiguration() throws {
    let configuration = try ConfigurationFiles.read(settings.configurationFile, hub: link.hubName)
    store.send(.configured(configuration))
  }
}

extension HubLink: TerminalConnection {}

/// The browser, or the reason why there is nothing to show yet.
private struct RootView: TerminalView {
  let store: StoreOf<Browser>
  let status: ConnectionStatus

  var body: some TerminalView {
    if store.hub == nil { WaitingView(status) } else { BrowserView(store: store) }
  }
}
