public import ComposableArchitecture
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
