import ClusterHub
import ReplicatedArchitecture
import StoreHub
import TestFeatures

/// The hubs of three versions of a feature. The last character of the name that the program is started by chooses the
/// version, so that links to one file are programs of different versions.
@main
enum LedgerHub {
  @MainActor static func main() {
    switch CommandLine.arguments.first?.last {
    case "2": LedgerHub2.main()
    case "3": LedgerHub3.main()
    default: LedgerHub1.main()
    }
  }
}

struct LedgerHub1: HubService {
  static let description = ServiceDescription("ledgerhub")
  static var cluster: (any ClusterSupport.Type)? { EtcdCluster.self }

  let initialState = Ledger1()
  var body: some Reducer<Ledger1, LedgerAction> { Ledger() }
}

struct LedgerHub2: HubService {
  static let description = ServiceDescription("ledgerhub")
  static var cluster: (any ClusterSupport.Type)? { EtcdCluster.self }

  let initialState = Ledger2()
  var body: some Reducer<Ledger2, LedgerAction> { Ledger() }

  var migrations: [Migration] {
    Migration(from: "\(Ledger1.schema.fingerprint)", to: Ledger2.self) { old in
      guard let total = Int(try old.total.value(as: String.self)) else {
        throw MigrationError("the total is no number")
      }
      var state = try old.without("total").value(as: Ledger2.self)
      state.total = total
      state.migrations += 1
      return state
    }
  }
}

struct LedgerHub3: HubService {
  static let description = ServiceDescription("ledgerhub")
  static var cluster: (any ClusterSupport.Type)? { EtcdCluster.self }

  let initialState = Ledger3()
  var body: some Reducer<Ledger3, LedgerAction> { Ledger() }
}
