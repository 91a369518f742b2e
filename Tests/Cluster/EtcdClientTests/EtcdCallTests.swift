import EtcdMessages
import EventLoop
import Foundation
import Testing

@testable import EtcdClient

/// Calls of a real etcd.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: EtcdServer.isInstalled, EtcdServer.skipped))
struct EtcdCallTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private static func key(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func aTransactionWritesOrReads() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    var transaction = EtcdTransaction()
    transaction.conditions = [.exists(Self.key("a"), false)]
    transaction.success = [.put(EtcdPut(Self.key("a"), [0, 255]))]
    transaction.failure = [.range(EtcdRange(EtcdKeyRange(Self.key("a"))))]

    let first = try await client.outcome(transaction, on: loop).get()
    #expect(first.succeeded)
    let header = try #require(first.header)
    #expect(header.cluster != 0 && header.member != 0)

    let second = try await client.outcome(transaction, on: loop).get()
    #expect(!second.succeeded)
    let value = try #require(second.results.first?.range?.values.first)
    #expect((value.value, value.modRevision, value.version) == ([0, 255], header.revision, 1))
    #expect(second.header?.cluster == header.cluster)

    let list = try await client.outcome(EtcdMemberList(), on: loop).get()
    #expect(list.members.map(\.name) == ["e0"])
    let status = try await client.outcome(EtcdStatus(), on: loop).get()
    #expect(status.version.hasPrefix("3.") && status.leader == header.member && status.usedBytes > 0)
  }

  /// Larger than the windows of HTTP/2 and than a socket's buffer.
  @Test func largeValuesPassInBothDirections() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let value = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    for index in 0..<12 { _ = try await client.outcome(EtcdPut(Self.key("v\(index)"), value), on: loop).get() }
    let answer = try await client.outcome(EtcdRange(EtcdKeyRange("v"..<"w")), on: loop, timeout: .seconds(240)).get()
    #expect(answer.values.count == 12)
    #expect(answer.values.allSatisfy { $0.value == value })
  }

  @Test func etcdsRefusalHasNoEffect() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let error = try #require(await client.outcome(EtcdPut([], [1]), on: loop).failure)
    #expect(error.effect == .none)
    #expect("\(error)".contains("key is not provided"), "\(error)")
    #expect("\(error)".hasPrefix("etcd's Put of http://127.0.0.1:"), "\(error)")
  }

  @Test func aCallThatNobodyTakesHasNoEffect() async throws {
    // The port of discard, where nobody listens.
    let endpoints = [try EtcdEndpoint("http://127.0.0.1:9"), try EtcdEndpoint("http://[::1]:9")]
    let client = try EtcdClient(on: loop, EtcdSettings(endpoints: endpoints, seed: 3))
    defer { client.close() }
    var reasons: [String] = []
    // If this thread is paused, the time passes before the first attempt.
    for milliseconds in [200, 2000, 20_000] {
      let result = await client.outcome(EtcdStatus(), on: loop, timeout: .milliseconds(milliseconds))
      let error = try #require(result.failure)
      #expect(error.effect == .none)
      guard case .notConnected(let reason) = error.reason else { Issue.record("\(error)"); return }
      if reason.contains("connection refused") { return }
      reasons.append(reason)
    }
    Issue.record("\(reasons)")
  }

  @Test func aNameIsLookedUp() async throws {
    let server = try await EtcdServer(on: loop)
    let endpoints = [try EtcdEndpoint("http://host.invalid:2379"), try server.namedEndpoint(0)]
    let client = try EtcdClient(on: loop, EtcdSettings(endpoints: endpoints, seed: 3))
    defer { client.close() }
    #expect(try await client.answer(EtcdStatus(), on: loop).get().leader != 0)
  }

  // MARK: Unknown outcomes

  /// The member is stopped, so that it surely has not answered.
  @Test func aMemberThatIsKilledDuringACallLeavesTheEffectUnknown() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    _ = try await client.outcome(EtcdStatus(), on: loop).get()
    server.halt(0)
    var result: Result<EtcdPutResponse, EtcdError>?
    client.call(EtcdPut(Self.key("a"), [1]), timeout: .seconds(120)) { result = $0 }
    loop.run(.noWait)
    server.kill(0)
    #expect(await loop.pump(until: { result != nil }))
    let error = try #require(result?.failure)
    #expect(error.effect == .unknown)
    guard case .disconnected = error.reason else { Issue.record("\(error)"); return }
  }

  @Test func afterADeadlineTheOthersAreAsked() async throws {
    let server = try await EtcdServer(members: 3, on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let put = EtcdPut(Self.key("a"), [1])
    _ = try await client.answer(put, on: loop).get()
    let stopped = try #require(client.endpoint)
    let index = try #require(try (0..<3).first { try server.endpoint($0) == stopped })
    server.halt(index)
    let error = try #require(await client.outcome(put, on: loop, timeout: .milliseconds(200)).failure)
    #expect(error.effect == .unknown)
    #expect(error.reason == .deadline(.milliseconds(200)))
    #expect(error.endpoint == stopped)
    _ = try await client.answer(put, on: loop).get()
    #expect(client.endpoint != stopped)
    server.resume(index)
  }

  // MARK: Members that are gone

  /// A machine without power refuses nothing.
  @Test func whoDoesNotConnectIsNotWaitedFor() async throws {
    let server = try await EtcdServer(members: 3, on: loop)
    // The kernel takes the connection of a stopped process, which then says nothing.
    server.halt(0)
    var settings = try server.settings([0, 1])
    settings.connectTimeout = .seconds(600)
    settings.seed = try #require((0..<64).first { EndpointRotation(count: 2, seed: $0).current == 0 })
    let client = try EtcdClient(on: loop, settings)
    defer { client.close() }
    // The stopped member may have led etcd, which then elects another one first.
    _ = try await client.answer(EtcdPut(Self.key("a"), [1]), on: loop).get()
    #expect(try client.endpoint == server.endpoint(1))
    server.resume(0)
  }

  /// The others refuse at once, again and again.
  @Test func whoIsLateIsConnectedIfTheOthersAreGone() async throws {
    let server = try await EtcdServer(members: 2, on: loop)
    var settings = try server.settings([0])
    settings.endpoints.append(try EtcdEndpoint("http://127.0.0.1:9"))
    settings.connectTimeout = .seconds(600)
    server.halt(0)
    let client = try EtcdClient(on: loop, settings)
    defer { client.close() }
    var refusals = 0
    client.onFailure = { _, _ in refusals += 1 }
    var result: Result<EtcdRangeResponse, EtcdError>?
    let read = EtcdRange(EtcdKeyRange(Self.key("a")), isSerializable: true)
    client.call(read, timeout: .seconds(240)) { result = $0 }
    #expect(await loop.pump(until: { refusals >= 3 }))
    server.resume(0)
    #expect(await loop.pump(until: { result != nil }))
    _ = try #require(result).get()
    #expect(try client.endpoint == server.endpoint(0))
  }

  @Test func whoSaysNothingIsLeftBeforeTheDeadline() async throws {
    let server = try await EtcdServer(members: 3, on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    _ = try await client.answer(EtcdPut(Self.key("a"), [1]), on: loop).get()
    let stopped = try #require(client.endpoint)
    server.halt(try #require(try (0..<3).first { try server.endpoint($0) == stopped }))
    let read = EtcdRange(EtcdKeyRange(Self.key("a")), isSerializable: true)
    var result: Result<EtcdRangeResponse, EtcdError>?
    client.call(read, timeout: .seconds(600), silence: .milliseconds(200)) { result = $0 }
    #expect(await loop.pump(until: { result != nil }))
    #expect(result?.failure?.reason == .deadline(.milliseconds(200)))
    _ = try await client.answer(read, on: loop).get()
    #expect(client.endpoint != stopped)
  }

  // MARK: A full store

  @Test func aFullStoreIsNamedAndWorksAgain() async throws {
    let server = try await EtcdServer(options: ["--quota-backend-bytes", "\(4 << 20)"], on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let put = EtcdPut(Self.key("a"), [UInt8](repeating: 1, count: 1 << 20))
    var error: EtcdError?
    // etcd counts what it has written a tenth of a second ago.
    for _ in 0..<200 where error == nil { error = await client.outcome(put, on: loop).failure }
    #expect(error?.reason == .full)
    #expect(error?.effect == EtcdError.Effect.none)
    let alarms = try await client.outcome(EtcdAlarmRequest(), on: loop).get().alarms
    #expect(alarms.map(\.kind) == [.noSpace])

    let revision = try #require(try await client.outcome(EtcdStatus(), on: loop).get().header?.revision)
    _ = try await client.outcome(EtcdCompact(upTo: revision, isPhysical: true), on: loop).get()
    _ = try await client.outcome(EtcdDefragment(), on: loop, timeout: .seconds(240)).get()
    _ = try await client.outcome(EtcdAlarmRequest(deactivate: try #require(alarms.first)), on: loop).get()
    _ = try await client.outcome(put, on: loop).get()
  }

  // MARK: Streams

  @Test func aWatchGoesOnAfterItsMemberHasDied() async throws {
    let server = try await EtcdServer(members: 3, on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let writer = try EtcdClient(on: loop, server.settings())
    defer { writer.close() }
    let revision = try #require(
      try await writer.answer(EtcdPut(Self.key("a0"), [0]), on: loop).get().header?.revision)
    var seen: [String] = []
    let watch = EtcdWatch(
      EtcdKeyRange("a"..<"b"), of: client, from: revision,
      onEvents: { values, _ in seen += values.map { String(decoding: $0.key, as: UTF8.self) } },
      onGap: { _ in Issue.record("events are missing") })
    defer { watch.cancel() }
    #expect(await loop.pump(until: { seen == ["a0"] }))
    let member = try #require(client.endpoint)
    server.kill(try #require(try (0..<3).first { try server.endpoint($0) == member }))
    // What happens in between is sent later.
    _ = try await writer.answer(EtcdPut(Self.key("a1"), [1]), on: loop).get()
    #expect(await loop.pump(until: { Array(Set(seen)).sorted() == ["a0", "a1"] }))
    #expect(seen == seen.sorted())
  }

  @Test func aWatchOfCompactedRevisionsReportsTheGap() async throws {
    let server = try await EtcdServer(on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    var last: EtcdHeader?
    for index in 0..<5 {
      last = try await client.outcome(EtcdPut(Self.key("a"), [UInt8(index)]), on: loop).get().header
    }
    let revision = try #require(last?.revision)
    _ = try await client.outcome(EtcdCompact(upTo: revision), on: loop).get()
    let error = await client.outcome(EtcdCompact(upTo: 2), on: loop).failure
    #expect(error?.reason == .compacted)

    var (gaps, values): (Int, [[UInt8]]) = (0, [])
    let watch = EtcdWatch(
      EtcdKeyRange(Self.key("a")), of: client, from: 1, onEvents: { events, _ in values += events.map(\.value) },
      onGap: { _ in gaps += 1 })
    defer { watch.cancel() }
    #expect(await loop.pump(until: { values == [[4]] }))
    #expect(gaps == 1)
  }

  /// A watch has no deadline.
  @Test func aMemberThatIsSilentDuringAWatchIsLeft() async throws {
    let server = try await EtcdServer(on: loop)
    var settings = try server.settings()
    (settings.pingInterval, settings.pingTimeout) = (.milliseconds(300), .milliseconds(300))
    let client = try EtcdClient(on: loop, settings)
    defer { client.close() }
    var (failures, count): ([String], Int) = ([], 0)
    client.onFailure = { failures.append($1) }
    let revision = try #require(try await client.outcome(EtcdPut(Self.key("a"), [0]), on: loop).get().header?.revision)
    let watch = EtcdWatch(
      EtcdKeyRange(Self.key("a")), of: client, from: revision, onEvents: { values, _ in count += values.count },
      onGap: { _ in })
    defer { watch.cancel() }
    #expect(await loop.pump(until: { count == 1 }))
    server.halt(0)
    #expect(await loop.pump(until: { failures.first == "no sign of life within 0.3 seconds" }), "\(failures)")
    server.resume(0)
    _ = try await client.answer(EtcdPut(Self.key("a"), [1]), on: loop).get()
    #expect(await loop.pump(until: { count >= 2 }))
  }
}

extension Result {
  /// The error; nil after success.
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
