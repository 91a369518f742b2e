import ClusterLog
import EtcdMessages
import Testing

@testable import EtcdLogStore

@Suite struct LogRequestsTests {
  /// With an order, etcd reads the whole range before it applies the limit: the whole log for its first entry. It sends
  /// keys in ascending order in any case, as `EtcdLogStoreTests` shows.
  @Test func readsWithALimitAskForNoOrder() {
    let requests = LogRequests(prefix: "hub/")
    let read = requests.entriesRequest(from: 7, count: 20)
    let refused = requests.request(LogTransaction(if: [], then: [], else: [.firstEntry]))
    let ranges = (read.success + refused.failure).compactMap(\.range).filter { $0.limit > 0 }
    #expect(ranges.map(\.limit) == [20, 1, 1])
    #expect(ranges.allSatisfy { $0.order == .none })
  }
}
