public import FeatureCore
public import Wire

/// A terminal client of a hub. The program says what the feature and the view are; everything else is given.
///
/// ```swift
/// import Queue
/// import TerminalApp
///
/// @main
/// struct QueueTerminal: TerminalApp {
///   var feature: some ReducerOf<Queue> { Queue() }
///   func content(_ store: StoreOf<Queue>) -> some TerminalView { QueueView(store: store) }
/// }
/// ```
///
/// The program has a command line (`--socket`, `--wait`, `--timeout`, `--theme`, `--no-prediction`, `--no-mouse`),
/// connects and reconnects, shows the state of the connection in the first line and the keys in the last one, draws what
/// has changed, and can be resized and suspended. Keys take effect at once, by the feature's reducer, and the hub's
/// answer corrects them; if the hub refuses an action, the last line shows the reason. `q` ends the program when the hub
/// has acknowledged all actions.
public protocol TerminalApp {
  /// The type of `feature`.
  associatedtype Feature: Reducer where Feature.State: Replicated, Feature.Action: WireValue
  /// The type of the view.
  associatedtype Content: TerminalView

  /// The program's name and purpose, and the directory of the hub's socket.
  static var description: TerminalAppDescription { get }

  /// Creates the program; called once.
  init()

  /// The reducer of the hub's feature, which shows the effects of actions before the hub has answered.
  @ReducerBuilder<Feature.State, Feature.Action> var feature: Feature { get }

  /// Returns the view of the hub's state.
  ///
  /// It is called again only if a value has changed that it has read from the store itself.
  ///
  /// - Parameter store: The hub's state. It shows the last one while the hub is away.
  @TerminalViewBuilder func content(_ store: StoreOf<Feature>) -> Content
}

extension TerminalApp {
  /// A description with the name of the program's file, whose hub is named like it: that of `queue-terminal` is
  /// `queuehub`.
  public static var description: TerminalAppDescription { TerminalAppDescription() }

  /// Runs the program until its user ends it, and exits.
  public static func main() {
    TerminalLaunch(Self()).run()
  }
}

/// The description of a terminal client for `--help`.
public nonisolated struct TerminalAppDescription: Sendable {
  /// The program's name.
  public var name: String
  /// The purpose of the program, as a sentence.
  public var purpose: String
  /// The name of the directory for the hub's socket, in the directory for runtime files. It is that of the hub's
  /// `ServiceDescription`, whose default is the name of the hub's program.
  public var directory: String

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - name: The program's name; by default that of its file.
  ///   - purpose: The purpose of the program, as a sentence.
  ///   - directory: The name of the directory for the hub's socket; by default the name that `scripts/new-hub` gives the
  ///     hub of a terminal: `queuehub` for `queue-terminal`.
  public init(
    _ name: String? = nil, purpose: String = "Shows the store of a hub in a terminal, and changes it by keys.",
    directory: String? = nil
  ) {
    let name = name ?? Self.nameOfProcess
    (self.name, self.purpose) = (name, purpose)
    self.directory = directory ?? (name.hasSuffix("-terminal") ? name.dropLast("-terminal".count) + "hub" : name)
  }
}
