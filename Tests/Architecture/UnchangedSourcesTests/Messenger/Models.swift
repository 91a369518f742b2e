import ComposableArchitecture
import Foundation

struct Contact: Codable, Equatable, Hashable, Identifiable, Sendable {
  let id: UUID
  var name: String
}

struct Message: Codable, Equatable, Identifiable, Sendable {
  enum Status: String, Codable, Sendable { case sending, sent, failed }
  let id: UUID
  var conversation: UUID
  var text: String
  var isMine = true
  var status = Status.sent
}

struct ChatThread: Codable, Equatable, Identifiable, Sendable {
  let id: UUID
  var contact: Contact
  var unread = 0
  var lastLine = ""
}

struct MessengerSettings: Codable, Equatable, Sendable {
  var isMuted = false
  var sendsReceipts = true
  var signature = ""
}

extension SharedReaderKey where Self == InMemoryKey<MessengerSettings>.Default {
  static var messengerSettings: Self { Self[.inMemory("messengerSettings"), default: MessengerSettings()] }
}

@DependencyClient
struct MessengerClient: Sendable {
  enum Event: Equatable, Sendable { case message(Message), typing(UUID) }
  struct Offline: Error, Equatable {}

  var threads: @Sendable () async throws -> [ChatThread]
  var messages: @Sendable (_ in: UUID) async throws -> [Message]
  var send: @Sendable (_ message: Message) async throws -> Void
  var delete: @Sendable (_ id: Message.ID) async throws -> Void
  var search: @Sendable (_ query: String) async throws -> [ChatThread]
  var events: @Sendable () -> AsyncStream<Event> = { .finished }
  var signOut: @Sendable () async -> Void
}

extension MessengerClient: TestDependencyKey {
  static let testValue = Self()
  static let previewValue = Self(
    threads: { [] }, messages: { _ in [] }, send: { _ in }, delete: { _ in }, search: { _ in [] },
    events: { AsyncStream { $0.finish() } }, signOut: {}
  )
}

extension DependencyValues {
  var messenger: MessengerClient {
    get { self[MessengerClient.self] }
    set { self[MessengerClient.self] = newValue }
  }
}
