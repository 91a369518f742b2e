internal import ComposableCore
internal import Dependencies
package import EventLoop
internal import Glibc
internal import ReplicaCore
internal import SchemaBrowser
internal import TerminalApp
package import TerminalUI
internal import TerminalViews

/// A terminal client of a hub of any feature: its connection, its screen, and the files that it reads.
package final class BrowserSession {
  /// The command line.
  package struct Settings {
    package var path: String
    package var waitsForHub: Bool
    package var theme: Theme
    package var takesMouse: Bool
    /// The state directory whose journal is shown; nil for the hub's own, if this user may read it.
    package var stateDirectory: String?
    /// The file with the configuration; nil for those of the hub's name.
    package var configurationFile: String?

    package init(path: String, waitsForHub: Bool, theme: Theme, takesMouse: Bool) {
      (self.path, self.waitsForHub, self.theme, self.takesMouse) = (path, waitsForHub, theme, takesMouse)
    }
  }

  /// The time that the hub has to acknowledge the last actions when the user quits.
  private static let quitTimeout = Duration.seconds(2)

  private let settings: Settings
  private let loop: EventLoop
  private let link: HubLink
  private let store: StoreOf<Browser>
  private let status: ConnectionStatus
  private let host: TerminalHost
  private var subscription: StoreSubscription?
  private var journal: BrowserJournal?
  private var news: ConnectionNews
  /// Runs until the screen says that the program is connecting.
  private var connectTimer: Timer?
  /// Runs while the age of the state, or of dates, is shown.
  private var clock: Timer?
  /// Runs until something can be sent again.
  private var quietTimer: Timer?
  private var journalTimer: Timer?
  private var quitTimer: Timer?
  private var isJournalShown = false
  private var isQuitting = false
  private var isFollowing = false
  private var mustFollow = false
  private var isAway = false
  private var isClockRunning = false
  private var hasQuit = false
  private var shownNotice: Notice?
  /// The reason why the program ends with a failure.
  package private(set) var failure: String?

  /// Creates a session, which connects when it runs.
  package init(_ settings: Settings, name: String, on loop: EventLoop) throws {
    (self.settings, self.loop) = (settings, loop)
    news = ConnectionNews(waitsForHub: settings.waitsForHub)
    var options = ReplicaOptions()
    options.name = name
    // A user is watching: a hub that has stopped must not count as live.
    (options.probeInterval, options.timeout) = (.seconds(2), .seconds(5))
    // The user chose them by what was on the screen.
    options.sendsAfterLoss = false
    options.requestsDocumentation = true
    let link = try HubLink(on: loop, to: settings.path, options: options)
    self.link = link
    store = Store(initialState: Browser.State()) {
      Browser()
    } withDependencies: {
      $0.browserHub = BrowserHub { try await link.send($0) }
    }
    status = ConnectionStatus("storeterm", path: settings.path, now: loop.now)
    let view = ScreenLayout(title: StatusBar(status), content: RootView(store: store, status: status))
    host = try TerminalHost(on: loop, view, theme: settings.theme, takesMouse: settings.takesMouse)
  }

  /// Runs until the user ends the program, or it cannot go on.
  package func run() throws {
    link.onEvent = { [weak self] event in
      // What has just changed must not be answered by a key that was pressed before.
      self?.tick()
      self?.store.send(event)
    }
    link.onConnectionChange = { [weak self] in self?.connectionChanged() }
    host.onQuit = { [weak self] end in self?.ends(end) }
    clock = try Timer(on: loop) { [weak self] in self?.tick() }
    quietTimer = try Timer(on: loop) { [weak self] in self?.tick() }
    journalTimer = try Timer(on: loop) { [weak self] in self?.readJournal() }
    connectTimer = try Timer(on: loop) { [weak self] in self?.openTerminal() }
    connectTimer?.start(after: settings.waitsForHub ? .zero : .milliseconds(500))
    tick()
    subscription = store.subscribe { [weak self] _ in self?.follow() }
    link.start()
    loop.run()
    host.close()
  }

  private func openTerminal() {
    guard !hasQuit, !host.isOpen else { return }
    do { try host.open() } catch { quit(because: "\(error)") }
  }

  private func tick() {
    status.now = loop.now
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
      if let notice = state.notice, notice != shownNotice { host.say(notice.text, isBad: notice.isBad) }
      shownNotice = state.notice
      if state.quietUntil > loop.now { quietTimer?.start(after: state.quietUntil - loop.now) }
      followJournal(state.tab.content == .activity)
      runClock()
      if let intent = state.intent { perform(intent) }
      if isQuitting, state.pending.isEmpty { quit() }
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
    (status.connection, status.goodbye, status.now) = (link.connection, link.goodbye, loop.now)
    status.loadedByteCount = link.loadedByteCount
    tick()
    let items = news.changed(
      link.connection, goodbye: link.goodbye, isHubMissing: link.isHubMissing, hasContent: store.hub != nil,
      lossCount: link.lossCount)
    for item in items {
      switch item {
      case .say(let text, let isBad): host.say(text, isBad: isBad)
      case .end(let reason): return quit(because: reason)
      }
    }
    switch link.connection {
    case .live, .connecting(_, nil): connected()
    case .stale:
      isAway = true
      store.send(.linkChanged(.away))
      runClock()
    default: break
    }
  }

  /// Runs the clock while the screen shows ages or rates; otherwise an idle program does nothing.
  private func runClock() {
    let mustRun = isAway || store.tab.content == .clients || store.configuration.format.dates == .relative
    guard mustRun != isClockRunning else { return }
    isClockRunning = mustRun
    if mustRun { clock?.start(after: .seconds(1), repeating: .seconds(1)) } else { clock?.stop() }
  }

  private func connected() {
    guard let schema = link.schema else { return }
    do {
      try openJournal()
      if store.hub == nil { try readConfiguration() }
    } catch {
      return quit(because: "\(error)")
    }
    store.send(
      .connected(
        HubDescription(
          link.hubName, schema, documentation: link.documentation, mayReadHub: link.mayReadHub,
          hasJournal: journal != nil)))
    openTerminal()
    guard link.connection == .live else { return }
    isAway = false
    store.send(.linkChanged(.live))
    runClock()
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

  // MARK: The end

  private func ends(_ end: TerminalHost.End) {
    guard end == .quit, !isQuitting, link.connection == .live, !store.pending.isEmpty else { return quit() }
    isQuitting = true
    host.say(ConnectionNews.waiting(link.pendingActionCount), isBad: true)
    quitTimer = try? Timer(on: loop) { [weak self] in self?.quit() }
    quitTimer?.start(after: Self.quitTimeout)
  }

  private func quit(because reason: String? = nil) {
    guard !hasQuit else { return }
    hasQuit = true
    failure = reason ?? ConnectionNews.unacknowledged(link.pendingActionCount)
    link.close()
    loop.stop()
  }
}

/// The browser, or the reason why there is nothing to show yet.
private struct RootView: TerminalView {
  let store: StoreOf<Browser>
  let status: ConnectionStatus

  var body: some TerminalView {
    if store.hub == nil { WaitingView(status) } else { BrowserView(store: store) }
  }
}
