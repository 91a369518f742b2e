import ReplicatedArchitecture
import StoreHub
import TestFeatures

/// A hub of a feature that no program here was compiled with but this one, for tests of clients that know only its schema.
@main
struct DinerHub: HubService {
  static let description = ServiceDescription("dinerhub")

  let initialState = Diner.State()
  var body: some ReducerOf<Diner> { Diner() }
}
