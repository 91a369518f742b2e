import Foundation
import Sharing
import Testing

/// A file whose path leads elsewhere while the program runs.
@Suite(.timeLimit(.minutes(30))) struct ReplacedPathTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func share(_ name: String, default value: [Int] = []) -> Shared<[Int]> {
    elsewhere { Shared(wrappedValue: value, .fileStorage(directory.file(name))) }
  }

  /// Writes as another program.
  private func write(_ numbers: [Int], to name: String) throws {
    try FileManager.default.createDirectory(
      at: directory.file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONEncoder().encode(numbers).write(to: directory.file(name))
  }

  private func numbers(in name: String) -> [Int]? {
    try? JSONDecoder().decode([Int].self, from: Data(contentsOf: directory.file(name)))
  }

  private func move(_ name: String, to new: String) throws {
    try #require(rename(directory.file(name).path, directory.file(new).path) == 0)
  }

  /// As `ln -sfn` does: the name never vanishes.
  private func link(_ name: String, to target: String) throws {
    let new = directory.file("link.new").path
    try FileManager.default.createSymbolicLink(atPath: new, withDestinationPath: target)
    try #require(rename(new, directory.file(name).path) == 0)
  }

  // MARK: Changes are seen

  @Test func aSwappedDirectoryIsSeen() async throws {
    try write([1], to: "data/n.json")
    try write([2], to: "data.new/n.json")
    let share = share("data/n.json")
    try move("data", to: "data.old")
    try move("data.new", to: "data")
    await share.reaches { $0 == [2] }
    // The watch is on the new directory, and no longer on the old one.
    try write([3], to: "data.old/n.json")
    try write([4], to: "data/n.json")
    await share.reaches { $0 == [4] }
    #expect(numbers(in: "data.old/n.json") == [3])
  }

  @Test func aSwappedAncestorIsSeen() async throws {
    try write([1], to: "a/b/c/n.json")
    try write([2], to: "new/b/c/n.json")
    let share = share("a/b/c/n.json")
    try move("a", to: "old")
    try move("new", to: "a")
    await share.reaches { $0 == [2] }
    try write([3], to: "a/b/c/n.json")
    await share.reaches { $0 == [3] }
  }

  @Test func exchangedDirectoriesAreSeen() async throws {
    try write([1], to: "a/n.json")
    try write([2], to: "b/n.json")
    let (a, b) = (share("a/n.json"), share("b/n.json"))
    try move("a", to: "c")
    try move("b", to: "a")
    try move("c", to: "b")
    await a.reaches { $0 == [2] }
    await b.reaches { $0 == [1] }
    a.withLock { $0.append(3) }
    #expect(numbers(in: "a/n.json") == [2, 3])
    #expect(numbers(in: "b/n.json") == [1])
  }

  @Test func aDirectoryThatIsRemovedAndCreatedAgainIsSeen() async throws {
    try write([1], to: "a/b/n.json")
    let share = share("a/b/n.json", default: [0])
    try FileManager.default.removeItem(at: directory.file("a"))
    await share.reaches { $0 == [0] }
    try write([2], to: "a/b/n.json")
    await share.reaches { $0 == [2] }
    try write([3], to: "a/b/n.json")
    await share.reaches { $0 == [3] }
  }

  @Test func aFileInADirectoryThatDoesNotExistYetIsSeen() async throws {
    let share = share("a/b/n.json", default: [0])
    #expect(directory.names == [])
    try write([1], to: "a/b/n.json")
    await share.reaches { $0 == [1] }
  }

  @Test func aLinkToAnotherDirectoryIsSeen() async throws {
    try write([1], to: "v1/n.json")
    try write([2], to: "v2/n.json")
    try link("current", to: "v1")
    let share = share("current/n.json")
    #expect(share.wrappedValue == [1])
    try link("current", to: directory.file("v2").path)
    await share.reaches { $0 == [2] }
    try write([9], to: "v1/n.json")
    try write([3], to: "v2/n.json")
    await share.reaches { $0 == [3] }
  }

  @Test func aLinkToAnotherFileIsSeen() async throws {
    try write([1], to: "one.json")
    try write([2], to: "elsewhere/two.json")
    try link("n.json", to: "one.json")
    let share = share("n.json")
    try link("n.json", to: "elsewhere/two.json")
    await share.reaches { $0 == [2] }
    try write([3], to: "elsewhere/two.json")
    await share.reaches { $0 == [3] }
    try FileManager.default.removeItem(at: directory.file("n.json"))
    try write([4], to: "n.json")
    await share.reaches { $0 == [4] }
  }

  /// A mounted ConfigMap: the file is a link through `..data`, itself a link that each update replaces.
  @Test func theUpdatesOfAConfigMapAreSeen() async throws {
    try write([1], to: "config/..1/n.json")
    try link("config/..data", to: "..1")
    try link("config/n.json", to: "..data/n.json")
    let share = share("config/n.json")
    #expect(share.wrappedValue == [1])
    for version in 2...4 {
      try write([version], to: "config/..\(version)/n.json")
      try link("config/..data", to: "..\(version)")
      try FileManager.default.removeItem(at: directory.file("config/..\(version - 1)"))
      await share.reaches { $0 == [version] }
    }
  }

  @Test func aHardLinkIsSeen() async throws {
    try write([1], to: "one.json")
    let share = share("n.json")
    try FileManager.default.linkItem(at: directory.file("one.json"), to: directory.file("n.json"))
    await share.reaches { $0 == [1] }
  }

  // MARK: A change is made to what is on the disk

  // The change follows at once, usually before the event has arrived.

  @Test func aChangeAfterASwapOfDirectoriesKeepsWhatIsThere() throws {
    try write([1], to: "data/n.json")
    try write([10], to: "data.new/n.json")
    let share = share("data/n.json")
    try move("data", to: "data.old")
    try move("data.new", to: "data")
    share.withLock { $0.append(11) }
    #expect(share.wrappedValue == [10, 11])
    #expect(numbers(in: "data/n.json") == [10, 11])
    #expect(numbers(in: "data.old/n.json") == [1])
  }

  @Test func aChangeAfterALinkWasReplacedKeepsWhatIsThere() throws {
    try write([1], to: "v1/n.json")
    try write([10], to: "v2/n.json")
    try link("current", to: "v1")
    let share = share("current/n.json")
    try link("current", to: "v2")
    share.withLock { $0.append(11) }
    #expect(numbers(in: "v1/n.json") == [1])
    #expect(numbers(in: "v2/n.json") == [10, 11])
  }

  @Test func aChangeAfterAnotherProgramsChangeKeepsIt() throws {
    let share = share("n.json")
    share.withLock { $0 = [1] }
    for number in 2..<50 {
      try write([number], to: "n.json.new")
      try move("n.json.new", to: "n.json")
      share.withLock { $0.append(0) }
      #expect(numbers(in: "n.json") == [number, 0])
    }
  }

  @Test func savingAfterASwapKeepsWhatIsThere() async throws {
    try write([1], to: "data/n.json")
    try write([2], to: "data.new/n.json")
    let share = share("data/n.json")
    try move("data", to: "data.old")
    try move("data.new", to: "data")
    try await share.save()
    #expect(share.wrappedValue == [2])
    #expect(numbers(in: "data/n.json") == [2])
  }

  @Test func aKeyWithADefaultReadsFirstAsWell() throws {
    try write([1], to: "data/n.json")
    try write([10], to: "data.new/n.json")
    let share = elsewhere {
      Shared(FileStorageKey<[Int]>.Default[.fileStorage(directory.file("data/n.json")), default: []])
    }
    try move("data", to: "data.old")
    try move("data.new", to: "data")
    share.withLock { $0.append(11) }
    #expect(numbers(in: "data/n.json") == [10, 11])
  }

  @Test func aSettingReadsFirstAsWell() throws {
    let storage = AppStorage(file: directory.file("config/settings.json"))
    let count = elsewhere { Shared(wrappedValue: 0, .appStorage("count", store: storage)) }
    let name = elsewhere { Shared(wrappedValue: "", .appStorage("name", store: storage)) }
    count.withLock { $0 = 1 }
    name.withLock { $0 = "Blob" }
    try FileManager.default.createDirectory(at: directory.file("new"), withIntermediateDirectories: true)
    try Data(#"{"count": 10, "other": true}"#.utf8).write(to: directory.file("new/settings.json"))
    try move("config", to: "old")
    try move("new", to: "config")
    count.withLock { $0 += 1 }
    #expect(count.wrappedValue == 11)
    name.withLock { $0 += "!" }
    #expect(name.wrappedValue == "!")
    #expect(directory.text("config/settings.json")?.contains(#""other" : true"#) == true)
    #expect(directory.text("old/settings.json")?.contains("Blob") == true)
  }
}
