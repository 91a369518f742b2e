import Foundation
import Sharing
import Testing

/// A key of a number that is stored as text, by another key.
private struct NumberKey: SharedKey {
  struct ID: Hashable {
    let text: FileStorageKeyID
  }

  let text: FileStorageKey<String>
  var id: ID { ID(text: text.id) }

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    text.load(
      context: converted(context),
      continuation: LoadContinuation("NumberKey") { continuation.resume(with: number($0)) })
  }

  func subscribe(context: LoadContext<Int>, subscriber: SharedSubscriber<Int>) -> SharedSubscription {
    text.subscribe(
      context: converted(context),
      subscriber: SharedSubscriber(
        callback: { subscriber.yield(with: number($0)) }, onLoading: { subscriber.yieldLoading($0) }))
  }

  func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
    text.save(
      "\(value)", context: context,
      continuation: SaveContinuation("NumberKey") { continuation.resume(with: $0.map { _ in }) })
  }

  private func converted(_ context: LoadContext<Int>) -> LoadContext<String> {
    guard let value = context.initialValue else { return .userInitiated }
    return .initialValue("\(value)")
  }

  private func number(_ text: Result<String?, any Error>) -> Result<Int?, any Error> {
    text.map { text in text.flatMap { Int($0) } }
  }
}

@Suite(.timeLimit(.minutes(30))) struct WrappedKeyTests {
  private func share(of file: URL) -> Shared<Int> {
    elsewhere { Shared(wrappedValue: 1, NumberKey(text: .fileStorage(file))) }
  }

  @Test func aKeyLoadsAndSavesByAnother() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("n.json")
    let (ours, theirs) = (share(of: file), share(of: file))
    #expect(ours.wrappedValue == 1)
    ours.withLock { $0 = 5 }
    #expect(try JSONDecoder().decode(String.self, from: Data(contentsOf: file)) == "5")
    #expect(share(of: file).wrappedValue == 5)
    await theirs.reaches { $0 == 5 }
    try FileManager.default.removeItem(at: file)
    await ours.reaches { $0 == 1 }
  }

  @Test func aContinuationIsReportedByItsName() {
    let dropped = Issues.during { _ = LoadContinuation<Int>("NumberKey") { _ in } }
    #expect(dropped.first?.hasPrefix("NumberKey's ‘load’ ended without resuming") == true)
    let twice = Issues.during {
      let continuation = SaveContinuation { _ in }
      continuation.resume()
      continuation.resume()
    }
    #expect(twice.first?.hasPrefix("A shared key's ‘save’ resumed its continuation twice") == true)
  }

  @Test func aStorageEqualsOnlyItself() {
    let memory = FileStorage.inMemory
    let storages: Set<FileStorage> = [.fileSystem, memory, memory, .inMemory]
    #expect(storages.count == 3 && storages.contains(.fileSystem) && storages.contains(memory))
  }
}
