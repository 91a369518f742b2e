public import ComposableArchitecture
import Synchronization
import Testing

enum Oops: Error { case oops }
@globalActor actor OtherActor { static let shared = OtherActor() }
final class NotSendable { var value = 0 }

@DependencyClient
public struct Client: Sendable {
  /// Fetches.
  public var fetch: @Sendable (_ id: Int) async throws -> String
  public var plain: @Sendable (Int, String) throws -> Int
  public var two: @Sendable (_ a: Int, _ b: String) async throws -> Void
  public var typed: @Sendable (_ id: Int) throws(CancellationError) -> Int = { _ throws(CancellationError) in 3 }
  public var log: @Sendable (_ message: String) -> Void
  public var find: @Sendable (_ id: Int) -> String?
  public var findLong: @Sendable (Int) -> Optional<Int>
  public var isOn: @Sendable () -> Bool = { false }
  public var count: @Sendable (_ of: [Int]) async -> Int = { _ in -1 }
  public var change: @Sendable (_ value: inout Int) throws -> Void
  public var changed: @Sendable (_ value: inout Int, _ by: Int) -> Bool = { value, by in
    value += by; return true
  }
  public var onMain: @MainActor @Sendable (_ id: Int) -> Void
  public var onOther: @OtherActor @Sendable (_ id: Int) -> Int = { _ in 1 }
  public var call: @Sendable (_ body: @escaping @Sendable (Int) -> String) async -> Void
  public var make: @Sendable () -> (@Sendable () -> Int?) = { { nil } }
  public var optional: (@Sendable () -> Void)?
  public let constant = 3
  public var name: String = "n"
  @DependencyEndpoint(method: "other") public var renamed: @Sendable (_ x: Int) throws -> Int
  public var `default`: @Sendable (_ in: Int) throws -> Int
  public var throwing: @Sendable () throws -> Int = { 7 }
  #if os(Linux)
    public var here: @Sendable (_ x: Int) throws -> Int
  #else
    public var elsewhere: NoSuchType
  #endif
}

@DependencyClient
struct GenericClient<Value: Sendable>: Sendable {
  var load: @Sendable (_ key: String) throws -> Value
  var values: @Sendable () -> [Value] = { [] }
  var find: @Sendable (_ key: String) -> Value?
}

@DependencyClient private struct PrivateClient { var fetch: (_ id: Int) throws -> NotSendable }
@DependencyClient package struct PackageClient { package var fetch: () -> Void }

@DependencyClient
struct SeveralNames {
  var fetch: () throws -> Int
  var host, path: String
  var port = 80, scheme: String?
}

@DependencyClient
public struct PartlyHidden {
  public var fetch: () throws -> Int
  private var cache: Int = 3
  static var shared: Self { Self(fetch: { 1 }) }
  fileprivate var cacheForTests: Int { cache }
}

@DependencyClient
struct WithOwnInitialiser {
  var fetch: (_ id: Int) throws -> Int
  init() { fetch = { $0 } }
}

@DependencyClient
struct WithConstants {
  let id: Int
  var fetch: () throws -> Int
}

@DependencyClient
struct TraceClient: Sendable {
  var trace: @Sendable (_ message: @autoclosure () -> String) -> Void
  var measure: @Sendable (_ count: @autoclosure () throws -> Int, _ unit: String) throws -> Int = { count, _ in
    try count()
  }
}

struct ByHand {
  @DependencyEndpoint var fetch: (_ id: Int) throws -> Int
}

extension Client: TestDependencyKey {
  public static var testValue: Client { Client() }
}

extension DependencyValues {
  fileprivate var client: Client {
    get { self[Client.self] }
    set { self[Client.self] = newValue }
  }
}

private final class Recorder: IssueReporter {
  private let issues = Mutex<[String]>([])
  var messages: [String] { issues.withLock { $0 } }

  func report(_ message: String, at location: IssueLocation) {
    issues.withLock { $0.append(message) }
  }
}

@Suite struct DependencyClientUseTests {
  private let recorder = Recorder()

  @Test func whatNobodyGaveIsReported() async throws {
    let client = Client()
    await withIssueReporters([recorder]) {
      await #expect(throws: UnimplementedFailure.self) { try await client.fetch(id: 1) }
      #expect(throws: UnimplementedFailure.self) { try client.plain(1, "") }
      client.log(message: "hi")
      #expect(client.find(id: 1) == nil)
      #expect(client.findLong(1) == nil)
      #expect(!client.isOn())
      #expect(await client.count(of: []) == -1)
      #expect((try? client.typed(id: 1)) == 3)
      #expect((try? client.throwing()) == 7)
      var value = 3
      #expect(client.changed(value: &value, by: 2))
      #expect(value == 5)
      #expect(throws: UnimplementedFailure.self) { try client.change(value: &value) }
      #expect(await client.onOther(id: 3) == 1)
      await client.onMain(id: 3)
      await client.call { "\($0)" }
      #expect(client.make()() == nil)
      #expect(throws: UnimplementedFailure.self) { try client.other(x: 1) }
      #expect(throws: UnimplementedFailure.self) { try client.default(in: 1) }
    }
    #expect(
      recorder.messages
        == [
          "fetch", "plain", "log", "find", "findLong", "isOn", "count", "typed", "throwing", "changed", "change",
          "onOther",
          "onMain", "call", "make", "renamed", "default",
        ].map { "Unimplemented: 'Client.\($0)'" })
    #expect(client.constant == 3 && client.name == "n" && client.optional == nil)
  }

  @Test func anEndpointThrowsTheErrorOfTheMacros() async throws {
    var client = Client()
    await withIssueReporters([recorder]) {
      let failure = await #expect(throws: Unimplemented.self) { try await client.fetch(id: 1) }
      #expect(failure?.description == "Client.fetch")
    }
    client.plain = { _, _ in throw Unimplemented("plain") }
    let failure = #expect(throws: UnimplementedFailure.self) { try client.plain(1, "") }
    #expect(failure?.description == "plain")
  }

  @Test func anAutoclosureIsCalledByTheEndpoint() throws {
    var client = TraceClient()
    let calls = LockIsolated(0)
    func text() -> String {
      calls.withValue { $0 += 1 }
      return "text"
    }
    func failingCount() throws -> Int { throw Oops.oops }
    try withIssueReporters([recorder]) { () throws -> Void in
      client.trace(message: text())
      #expect(try client.measure(count: 3, unit: text()) == 3)
      #expect(throws: Oops.self) { try client.measure(count: failingCount(), unit: "m") }
    }
    #expect(recorder.messages == ["trace", "measure", "measure"].map { "Unimplemented: 'TraceClient.\($0)'" })
    #expect(calls.value == 1)
    client.trace = { message in _ = message() + message() }
    client.trace(message: text())
    #expect(calls.value == 3)
  }

  @Test func endpointsAreOverridden() async throws {
    var client = Client()
    client.fetch = { "\($0)" }
    client.change = { $0 += 1 }
    client.typed = { _ throws(CancellationError) in throw CancellationError() }
    #expect(try await client.fetch(id: 3) == "3")
    var value = 1
    try client.change(value: &value)
    #expect(value == 2)
    // The thrown error has its type.
    do { _ = try client.typed(id: 1) } catch { let _: CancellationError = error }
    withDependencies {
      $0.client.find = { "found \($0)" }
    } operation: {
      @Dependency(\.client) var client
      #expect(client.find(id: 1) == "found 1")
    }
  }

  @Test func initialisers() throws {
    let generic = GenericClient<Int>(load: { $0.count }, values: { [1] }, find: { _ in 2 })
    #expect(try generic.load(key: "abc") == 3 && generic.values() == [1] && generic.find(key: "") == 2)
    #expect(PartlyHidden.shared.hiddenSum == 4)
    let several = SeveralNames(fetch: { 1 }, host: "a", path: "b")
    #expect(several.host == "a" && several.path == "b" && several.port == 80 && several.scheme == nil)
    #expect(try WithOwnInitialiser().fetch(id: 5) == 5)
    #expect(try WithConstants(id: 3, fetch: { 4 }).fetch() == 4)
    #expect(try PrivateClient(fetch: { _ in NotSendable() }).fetch(id: 1).value == 0)
    #expect(try ByHand(fetch: { $0 }).fetch(id: 2) == 2)
    withIssueReporters([recorder]) {
      #expect(GenericClient<String>().values() == [])
      PackageClient().fetch()
    }
    #expect(
      recorder.messages == ["Unimplemented: 'GenericClient<String>.values'", "Unimplemented: 'PackageClient.fetch'"])
  }
}

extension PartlyHidden {
  fileprivate var hiddenSum: Int { ((try? fetch()) ?? 0) + cacheForTests }
}
