public import Dependencies
public import FeatureCore
public import ServiceProcess
public import Wire

/// A daemon that serves one feature. The program says what the feature is; everything else is given.
///
/// ```swift
/// import Kitchen
/// import StoreHub
///
/// @main
/// struct KitchenHub: HubService {
///   let initialState = Kitchen.State()
///   var body: some ReducerOf<Kitchen> { Kitchen() }
/// }
/// ```
///
/// The program has the command line, the journal, the log and the signals of `storehubd`: `kitchenhub --help` lists its
/// options, and `storectl journal verify` checks its journal. All of it runs on the main thread, which is the loop's.
public nonisolated protocol HubService {
  /// The type of `body`.
  associatedtype Body: Reducer where Body.State: Replicated, Body.Action: WireValue

  /// The program's name and purpose, and its options in addition to those of every hub.
  static var description: ServiceDescription { get }

  /// What makes the hub a node of a cluster, if its configuration has a section `[cluster]`; nil by default.
  static var cluster: (any ClusterSupport.Type)? { get }

  /// Creates the service; called once.
  init()

  /// Reads the program's own options. Called before anything else.
  ///
  /// - Throws: An error that names the wrong option and the reason; the program prints it and exits with status 2.
  mutating func configure(_ options: ServiceOptions) throws(ServiceOptionError)

  /// Creates the resources of the feature's dependencies, such as a client of a web service on the loop.
  ///
  /// - Throws: The reason why the hub cannot start; the program logs it and exits with status 1.
  @MainActor mutating func prepare(on loop: EventLoop, log: Log) throws

  /// The state at revision 0. A hub with a journal begins with it only if the journal is empty.
  var initialState: Body.State { get }

  /// The reducer for all actions.
  @ReducerBuilder<Body.State, Body.Action> var body: Body { get }

  /// The views that clients can attach beside the state; none by default. Called once.
  @StateViewsBuilder<Body.State> var views: StateViews<Body.State> { get }

  /// The steps from states of earlier versions that do not fit by name; none by default. Called once.
  @MigrationsBuilder var migrations: [Migration] { get }

  /// Overrides dependencies for the reducer and its effects.
  @MainActor func prepareDependencies(_ dependencies: inout DependencyValues)

  /// The feature's actions in response to an event of the hub: its start, or a client that attaches or detaches.
  func actions(for event: HubEvent, in state: Body.State) -> [Body.Action]
}

nonisolated extension HubService {
  /// A description with the name of the program's file.
  public static var description: ServiceDescription { ServiceDescription(ServiceDescription.nameOfProcess) }

  /// Takes part in no cluster.
  public static var cluster: (any ClusterSupport.Type)? { nil }

  /// Reads no options.
  public mutating func configure(_ options: ServiceOptions) throws(ServiceOptionError) {}

  /// Creates nothing.
  @MainActor public mutating func prepare(on loop: EventLoop, log: Log) throws {}

  /// No views.
  public var views: StateViews<Body.State> { StateViews() }

  /// No migrations.
  public var migrations: [Migration] { [] }

  /// Overrides no dependencies.
  @MainActor public func prepareDependencies(_ dependencies: inout DependencyValues) {}

  /// Returns no actions.
  public func actions(for event: HubEvent, in state: Body.State) -> [Body.Action] { [] }

  /// Runs the service until it stops, and exits.
  ///
  /// Inlined into the program, so that the engine is specialised for the feature's types.
  @inlinable
  @MainActor
  public static func main() {
    ServiceLaunch<Self>().run { service in
      FeatureEngine(
        initialState: service.initialState, reducer: service.body, views: service.views,
        migrations: service.migrations
      ) {
        service.prepareDependencies(&$0)
      } onEvent: {
        service.actions(for: $0, in: $1)
      }
    }
  }
}
