internal import Glibc

/// The connection of a terminal client, as its session sees it.
@MainActor
package protocol TerminalConnection: AnyObject {
  var connection: ConnectionState { get }
  /// The reason with which the hub has ended the connection, if it has.
  var goodbye: String? { get }
  /// The time since which the state of a connected hub may be stale; nil if it is current.
  var hubStaleSince: Duration? { get }
  /// True if no hub listens on the socket.
  var isHubMissing: Bool { get }
  /// The number of times that the hub had lost state.
  var lossCount: Int { get }
  /// The number of bytes received of a state that is not complete yet.
  var loadedByteCount: Int { get }
  var pendingActionCount: Int { get }
  /// Asks an idle hub now and then whether it still answers, or not any more.
  func watch(_ isWatched: Bool)
  func close()
}

extension StoreClient: TerminalConnection {}

/// The run of a terminal client of any kind: it shows the screen when there is something to show, follows the connection,
/// and ends when the user wants it and the hub has acknowledged the last actions.
package final class TerminalSession {
  /// The options that all terminal clients have.
  package struct Settings {
    package var path: String
    package var waitsForHub: Bool
    package var theme: Theme
    package var takesMouse: Bool
    /// The time for which the hub may be silent.
    package var timeout: Duration

    /// The default of `timeout`.
    package nonisolated static let standardTimeout = Duration.seconds(5)

    /// Creates settings.
    package init(path: String, waitsForHub: Bool, theme: Theme, takesMouse: Bool, timeout: Duration = standardTimeout) {
      (self.path, self.waitsForHub, self.theme, self.takesMouse) = (path, waitsForHub, theme, takesMouse)
      self.timeout = timeout
    }

    /// The options of the connection of a program with a name.
    package func replicaOptions(name: String) -> ReplicaOptions {
      var options = ReplicaOptions()
      options.name = name
      // A user is watching: a hub that has stopped must not count as live.
      (options.probeInterval, options.timeout) = (min(.seconds(2), timeout), timeout)
      // The user chose them by what was on the screen.
      options.sendsAfterLoss = false
      return options
    }
  }

  /// The time after which the screen says that the program is connecting.
  private static let connectNoticeDelay = Duration.milliseconds(500)
  /// The time that the hub has to acknowledge the last actions: a user who ends the program does not wait as long as
  /// another one.
  private var quitTimeout: Duration { settings.timeout * 2 / 5 }
  /// The time after which the screen says that the program waits for that.
  private static let quitNoticeDelay = Duration.milliseconds(300)
  /// The time after the last key for which an idle hub is asked whether it still answers. Then an untouched program does
  /// nothing until the hub or the user does something.
  private static let watchTime = Duration.seconds(10)

  /// The state of the connection, for the views.
  package let status: ConnectionStatus
  package let host: TerminalHost
  /// Called before keys are handled, each second while the age of the state is shown, and after each change of the
  /// connection.
  package var onTick: (() -> Void)?
  /// Calls a function once the hub has acknowledged the actions of the user; returns false if there are none.
  package var awaitLastActions: (_ done: @escaping () -> Void) -> Bool = { _ in false }
  /// True once the terminal shows a state.
  package var hasContent = false
  /// True to call `onTick` each second in any case.
  package var ticksAlways = false { didSet { runClock() } }
  /// The reason why the program ends with a failure.
  package var failure: String?

  private let settings: Settings
  private let loop: EventLoop
  private let connection: any TerminalConnection
  private var news: ConnectionNews
  private var connectTimer: Timer?
  private var clock: Timer?
  private var isClockRunning = false
  private var quitTimer: Timer?
  private var watchTimer: Timer?
  /// True once the screen says that the program waits for the hub before it ends.
  private var isQuitNoticed = false
  private var hasQuit = false

  /// Creates a session with a screen.
  ///
  /// - Parameters:
  ///   - status: The state of the connection, which the first line of the screen shows.
  ///   - view: The content below that line.
  package init(
    _ status: ConnectionStatus, _ settings: Settings, _ connection: any TerminalConnection, on loop: EventLoop,
    @TerminalViewBuilder view: () -> ViewGroup
  ) throws {
    (self.status, self.settings, self.loop, self.connection) = (status, settings, loop, connection)
    news = ConnectionNews(waitsForHub: settings.waitsForHub)
    let screen = ScreenLayout(title: StatusBar(status), content: view())
    host = try TerminalHost(on: loop, screen, theme: settings.theme, takesMouse: settings.takesMouse)
  }

  /// Runs until the user ends the program, or it cannot go on. `start` connects.
  package func run(_ start: () -> Void) throws {
    host.onQuit = { [weak self] in self?.ends($0) }
    clock = try Timer(on: loop) { [weak self] in self?.tick() }
    quitTimer = try Timer(on: loop) { [weak self] in self?.quitTimerFired() }
    connectTimer = try Timer(on: loop) { [weak self] in self?.openTerminal() }
    connectTimer?.start(after: settings.waitsForHub ? .zero : Self.connectNoticeDelay)
    watchTimer = try Timer(on: loop) { [weak self] in self?.connection.watch(false) }
    host.onKeys = { [weak self] in
      self?.watch()
      self?.tick()
    }
    start()
    watch()
    loop.run()
    host.close()
  }

  /// Shows the screen, which has a state.
  package func show() {
    hasContent = true
    openTerminal()
  }

  /// A user is at the keyboard.
  private func watch() {
    connection.watch(true)
    watchTimer?.start(after: Self.watchTime)
  }

  private func openTerminal() {
    guard !hasQuit, !host.isOpen else { return }
    do { try host.open() } catch { quit(because: "\(error)") }
  }

  /// Shows the progress of loading a large state.
  package func loaded() {
    status.loadedByteCount = connection.loadedByteCount
    if connection.loadedByteCount > 0 { openTerminal() }
  }

  private func tick() {
    status.now = loop.now
    onTick?()
  }

  /// Shows the state of the connection, and says what has changed.
  package func connectionChanged() {
    (status.connection, status.goodbye) = (connection.connection, connection.goodbye)
    status.hubStaleSince = connection.hubStaleSince
    status.loadedByteCount = connection.loadedByteCount
    tick()
    let items = news.changed(
      connection.connection, goodbye: connection.goodbye, isHubMissing: connection.isHubMissing,
      hasContent: hasContent, lossCount: connection.lossCount)
    for item in items {
      switch item {
      case .say(let text, let isBad): host.say(text, isBad: isBad)
      case .end(let reason): return quit(because: reason)
      }
    }
    runClock()
  }

  /// An idle program does nothing; the age of the state is shown while the hub is away, or waits for its cluster.
  private func runClock() {
    let isAway = if case .stale = connection.connection { true } else { connection.hubStaleSince != nil }
    guard (isAway || ticksAlways) != isClockRunning else { return }
    isClockRunning.toggle()
    if isClockRunning { clock?.start(after: .seconds(1), repeating: .seconds(1)) } else { clock?.stop() }
  }

  // MARK: The end

  private func ends(_ end: TerminalHost.End) {
    guard end == .quit, !host.ignoresKeys, connection.connection == .live,
      awaitLastActions({ [weak self] in self?.quit() })
    else { return quit() }
    host.ignoresKeys = true
    quitTimer?.start(after: Self.quitNoticeDelay)
  }

  private func quitTimerFired() {
    guard !isQuitNoticed else { return quit() }
    isQuitNoticed = true
    host.say(ConnectionNews.waiting(connection.pendingActionCount), isBad: true)
    quitTimer?.start(after: max(quitTimeout - Self.quitNoticeDelay, .zero))
  }

  /// Ends the program.
  package func quit(because reason: String? = nil) {
    guard !hasQuit else { return }
    hasQuit = true
    failure = failure ?? reason ?? ConnectionNews.unacknowledged(connection.pendingActionCount)
    connection.close()
    loop.stop()
  }
}
