import StoreHub
import TestFeatures

/// A hub of a shared model, for `Tests/Torture`.
@main
struct SharedHubProgram: SharedHub {
  let initialState = Notebook()
}
