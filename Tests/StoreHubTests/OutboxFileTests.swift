import ComposableArchitecture
import EventLoop
import Features
import Foundation
import Glibc
import HubCore
import ReplicaCore
import SQLite
import Testing

@testable import StoreClient

/// The file of an outbox, and clients with one.
@Suite(.serialized, .timeLimit(.minutes(30))) struct OutboxFileTests {
  private func attach(_ bench: Bench, predicting: Bool = false) throws -> Client {
    var options = ReplicaOptions()
    (options.shortestDelay, options.longestDelay) = (.milliseconds(5), .milliseconds(50))
    let url = URL(filePath: bench.directory + "/outbox")
    let client =
      predicting
      ? try Client(loop: bench.loop, path: bench.path, options: options, outbox: url, predictingWith: AppFeature())
      : try Client(loop: bench.loop, path: bench.path, options: options, outbox: url)
    client.onConnectionNotice = nil
    client.start()
    return client
  }

  @Test func aClosedClientLeavesItsActionsToTheNext() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let server = try bench.serve()
    let first = try attach(bench)
    #expect(await bench.until { first.store != nil })
    #expect(await bench.stop(server))
    let store = try #require(first.store)
    let task = store.send(.todos(.addButtonTapped(text: "later")))
    #expect(first.pendingActionCount == 1)
    first.close()
    await #expect(throws: ActionError.keptInOutbox) { try await task.taken() }
    let next = try attach(bench, predicting: true)
    var outcomes: [RecoveredOutcome<AppFeature.Action>] = []
    next.onRecoveredOutcome = { outcomes.append($0) }
    #expect(next.pendingActionCount == 1)
    let other = try bench.serve()
    #expect(await bench.until { !outcomes.isEmpty && next.connection == .live })
    #expect(outcomes.count == 1)
    #expect(next.store?.todos.todos.map(\.text) == ["later"])
    #expect(bench.engine.state.todos.todos.map(\.text) == ["later"])
    let outcome = try #require(outcomes.first)
    guard case .todos(.addButtonTapped("later"))? = outcome.action else {
      Issue.record("\(outcome)")
      return
    }
    #expect(throws: Never.self) { try outcome.result.get() }
    next.close()
    #expect(await bench.stop(other))
  }

  @Test func aFileIsUsedByOneClient() throws {
    let bench = try Bench()
    defer { bench.clean() }
    let first = try attach(bench)
    let error = #expect(throws: OutboxError.self) { try attach(bench) }
    #expect(error?.problem == .inUse)
    first.close()
    try attach(bench).close()
    var status = stat()
    #expect(stat(bench.directory + "/outbox", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test(arguments: [
    "UPDATE client SET acknowledged = -1", "UPDATE client SET last_sent = -1",
    "INSERT INTO actions VALUES (-1, NULL, x'8200', 0)", "INSERT INTO actions VALUES (0, NULL, x'8200', 0)",
    "INSERT INTO actions VALUES (1, NULL, x'82', 0)", "INSERT INTO actions VALUES (1, NULL, x'820000ff', 0)",
    "ALTER TABLE actions RENAME COLUMN refused TO refuse5", "DROP TABLE actions", "DROP TABLE client",
    "DELETE FROM client",
  ])
  func damagedRowsAreRefused(damage: String) throws {
    let bench = try Bench()
    defer { bench.clean() }
    try attach(bench).close()
    let database = try Database(bench.directory + "/outbox", vfs: nil)
    try database.run(damage, for: "damage the outbox")
    database.close()
    let error = #expect(throws: OutboxError.self) { try attach(bench) }
    #expect(error?.problem == .damaged)
  }

  @Test func otherFilesAreRefused() throws {
    let bench = try Bench()
    defer { bench.clean() }
    func problem(_ url: URL) -> OutboxError.Problem? {
      #expect(throws: OutboxError.self) { try Client(loop: bench.loop, path: bench.path, outbox: url) }?.problem
    }
    let text = bench.directory + "/text"
    try Data("this is no database, and longer than the head of one".utf8).write(to: URL(filePath: text))
    #expect(problem(URL(filePath: text)) == .damaged)
    #expect(problem(URL(filePath: bench.directory + "/missing/outbox")) == .storage)
    #expect(try problem(#require(URL(string: "https://example.org/outbox"))) == .foreign)
    // One of a later version.
    try attach(bench).close()
    let path = bench.directory + "/outbox"
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[63] = 99
    try bytes.write(to: URL(filePath: path))
    #expect(problem(URL(filePath: path)) == .foreign)
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }
}
