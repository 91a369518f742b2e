public import FeatureCore
public import ReplicatedArchitecture
public import Wire

/// A daemon that serves a shared model: a value that its clients edit at the same time.
///
/// ```swift
/// @main
/// struct PlannerHub: SharedHub {
///   let initialState = Planner()
/// }
/// ```
///
/// The program is complete; it is a ``HubService`` in all other respects. A hub that reacts to changes has a `body` of its
/// own, with the model's reducer first:
///
/// ```swift
/// var body: some Reducer<Planner, SharedChange<Planner>> {
///   SharedModel()
///   Reduce { planner, change in … }
/// }
/// ```
public nonisolated protocol SharedHub: HubService
where Body.State == Model, Body.Action == SharedChange<Model> {
  /// The model, a `@Replicated` struct.
  associatedtype Model: Replicated
  associatedtype Body = SharedModel<Model>

  /// The model at revision 0.
  var initialState: Model { get }

  /// The reducer for all changes; without one of its own, a hub merges them.
  @ReducerBuilder<Model, SharedChange<Model>> var body: Body { get }
}

nonisolated extension SharedHub where Body == SharedModel<Model> {
  /// Merges the clients' changes.
  public var body: SharedModel<Model> { SharedModel() }
}
