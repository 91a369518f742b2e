import Meetings
import StoreHub

@main
struct MeetingsHub: HubService {
  let initialState = MeetingsApp.State()
  var body: some ReducerOf<MeetingsApp> { MeetingsApp() }

  func prepareDependencies(_ dependencies: inout DependencyValues) { dependencies.useNoDevices() }
}
