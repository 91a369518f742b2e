import Dependencies
import DependenciesTestSupport
import Foundation
import IssueReporting
import Sharing
import Synchronization
import Testing

/// Records issues.
final class Issues: IssueReporter {
  private let list = Mutex<[String]>([])

  var messages: [String] { list.withLock { $0 } }

  func report(_ message: String, at location: IssueLocation) {
    list.withLock { $0.append(message) }
  }

  static func during(_ operation: () throws -> Void) rethrows -> [String] {
    let issues = Issues()
    try withIssueReporters([issues], operation: operation)
    return issues.messages
  }
}

/// A new directory, removed when the object is released.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(component: "sharing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }

  func text(_ name: String) -> String? { try? String(contentsOf: file(name), encoding: .utf8) }
}

/// Creates a share as another program would, with separate references to the file.
func elsewhere<Value>(_ make: () -> Shared<Value>) -> Shared<Value> {
  withDependencies {
    $0.persistentReferences = PersistentReferences()
    $0.defaultFileStorage = .fileSystem
  } operation: {
    make()
  }
}

extension Shared where Value: Sendable {
  /// Waits for a value; the suite's time limit ends it otherwise.
  func reaches(_ condition: @Sendable (Value) -> Bool) async {
    for await value in values where condition(value) { return }
  }
}
