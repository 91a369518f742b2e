import ReplicatedArchitecture
import StoreHub
import TestFeatures

/// A hub whose actions make states that are hard to read back, for `ProgramTests/HostileProgramTests`.
@main
struct HostileHub: HubService {
  let initialState = Hostile.State()
  var body: some ReducerOf<Hostile> { Hostile() }
}
