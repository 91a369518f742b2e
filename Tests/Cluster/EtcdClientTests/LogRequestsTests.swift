import ClusterCore
import ClusterLog
import EtcdMessages
import Testing

@testable import EtcdLogStore

@Suite struct LogRequestsTests {
  private let requests = LogRequests(prefix: "hub/")

  /// With an order, etcd reads the whole range before it applies the limit: the whole log for its first entry. It sends
  /// keys in ascending order in any case, as `EtcdLogStoreTests` shows.
  @Test func readsWithALimitAskForNoOrder() {
    let read = requests.entriesRequest(LogRequests.EntriesRead(position: 7, count: 20, first: nil, isBounded: false))
    let refused = requests.request(LogTransaction(if: [], then: [], else: [.firstEntry, .lastEntry]))
    let ranges = (read.success + refused.failure).compactMap(\.range).filter { $0.limit > 0 }
    #expect(ranges.map(\.limit) == [20, 1, 1])
    #expect(ranges.allSatisfy { $0.order == .none })
  }

  /// Etcd walks over all keys of a range, whatever its limit is.
  @Test func readsLookNoFurtherThanTheyMust() throws {
    func keys(_ position: UInt64, first: UInt64?, isBounded: Bool) throws -> [EtcdKeyRange] {
      let read = LogRequests.EntriesRead(position: position, count: 20, first: first, isBounded: isBounded)
      return try requests.entriesRequest(read).success.prefix(2).map { try #require($0.range).range }
    }
    let (start, end) = (LogKey.entry(0).description, "log0")
    func range(_ start: String, _ end: String) -> EtcdKeyRange { EtcdKeyRange("hub/" + start..<"hub/" + end) }
    #expect(try keys(7, first: nil, isBounded: false) == [range(LogKey.entry(7).description, end), range(start, end)])
    #expect(
      try keys(7, first: 3, isBounded: true) == [
        range(LogKey.entry(7).description, LogKey.entry(27).description), range(start, LogKey.entry(4).description),
      ])
    for isBounded in [false, true] {
      #expect(
        try keys(.max, first: .max, isBounded: isBounded) == [
          range(LogKey.entry(.max).description, end), range(start, end),
        ])
    }
  }

  /// An answer to a request that reads one range after the other, which have these first entries and numbers of keys.
  private func response(_ found: (first: UInt64?, count: Int64)..., succeeded: Bool) -> EtcdTransactionResponse {
    var response = EtcdTransactionResponse()
    var header = EtcdHeader()
    header.revision = 9
    (response.header, response.succeeded) = (header, succeeded)
    response.results = found.map { first, count in
      var (range, result) = (EtcdRangeResponse(), EtcdOperationResult())
      range.count = count
      if let first {
        var value = EtcdKeyValue()
        (value.key, value.modRevision) = (requests.bytes(.entry(first)), 5)
        range.values = [value]
      }
      result.range = range
      return result
    }
    return response
  }

  /// The first request for the last entry only counts. The next one has etcd sort what is at that place, or all if that
  /// was a mistake.
  @Test func theLastEntryIsReadWhereTheCountSaysThatItIs() throws {
    let transaction = LogTransaction(if: [], then: [], else: [.firstEntry, .lastEntry])
    func answer(
      _ ends: LogRequests.Ends, _ first: UInt64?, _ last: UInt64?, count: Int64
    ) -> LogRequests.Answer {
      requests.answer(transaction, ends: ends, response((first, count), (last, count), succeeded: false))
    }
    func found(_ positions: UInt64?...) -> LogRequests.Answer {
      .outcome(.refused(positions.map { $0.map { StoredValue(key: .entry($0), bytes: [], revision: 5) } }))
    }
    #expect(answer(.unknown, nil, 7, count: 4) == .repeated(.near(first: 7, last: 10)))
    #expect(answer(.unknown, nil, 7, count: 1) == found(7, 7))
    #expect(answer(.unknown, nil, nil, count: 0) == found(nil, nil))
    #expect(answer(.unknown, nil, .max, count: 2) == .repeated(.anywhere))
    // More entries have followed meanwhile.
    let near = LogRequests.Ends.near(first: 7, last: 10)
    #expect(answer(near, 7, 12, count: 3) == found(7, 12))
    // The first ones were removed, the end was cut off, or some of the keys are not entries.
    #expect(answer(near, nil, 12, count: 3) == .repeated(.anywhere))
    #expect(answer(near, 7, nil, count: 0) == .repeated(.anywhere))
    #expect(answer(.anywhere, 8, 9, count: 2) == found(8, 9))
    #expect(answer(.anywhere, nil, nil, count: 0) == found(nil, nil))
    #expect(
      requests.answer(transaction, response(succeeded: true)) == .outcome(.written(revision: 9)))

    let ranges = requests.request(transaction, ends: near).failure.compactMap(\.range)
    #expect(
      ranges.map(\.range) == [
        EtcdKeyRange("hub/\(LogKey.entry(0))"..<"hub/\(LogKey.entry(8))"),
        EtcdKeyRange("hub/\(LogKey.entry(10))"..<"hub/log0"),
      ])
    #expect(ranges.map(\.order) == [.none, .descending] && ranges.map(\.limit) == [1, 1])
  }

  /// Where nothing is found, it may be elsewhere.
  @Test func aReadThatFindsNothingLooksEverywhere() {
    let read = LogRequests.EntriesRead(position: 7, count: 20, first: 3, isBounded: true)
    func again(_ entry: UInt64?, first: UInt64?) -> LogRequests.EntriesRead? {
      requests.entriesReading(read, response((entry, 1), (first, 1), (nil, 0), succeeded: true)).again
    }
    var next = read
    #expect(again(7, first: 3) == nil && again(9, first: 2) == nil)
    next.isBounded = false
    #expect(again(nil, first: 3) == next)
    next.first = nil
    #expect(again(nil, first: nil) == next)
    let everywhere = requests.entriesReading(next, response((nil, 0), (nil, 0), (nil, 0), succeeded: true))
    guard case (.entries([], first: nil, beat: nil, at: 9), again: nil) = everywhere else {
      Issue.record("\(everywhere)")
      return
    }
  }
}
