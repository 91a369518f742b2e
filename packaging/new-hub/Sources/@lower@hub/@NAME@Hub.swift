import @NAME@
import StoreHub

@main
struct @NAME@Hub: HubService {
  let initialState = @NAME@.State()
  var body: some ReducerOf<@NAME@> { @NAME@() }
}
