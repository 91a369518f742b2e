import Dependencies
import Foundation
import Sharing
import Testing

@Suite(.timeLimit(.minutes(30))) struct FileStorageTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func share(_ name: String = "n.json", default value: [Int] = []) -> Shared<[Int]> {
    elsewhere { Shared(wrappedValue: value, .fileStorage(directory.file(name))) }
  }

  @Test func aChangeIsOnTheDiskWhenItReturns() throws {
    let numbers = share()
    #expect(directory.names == [])
    numbers.withLock { $0 = [1, 2] }
    let onDisk = try JSONDecoder().decode([Int].self, from: Data(contentsOf: directory.file("n.json")))
    #expect(onDisk == [1, 2])
    #expect(directory.names == ["n.json"])
    #expect(share(default: [9]).wrappedValue == [1, 2])
  }

  @Test func missingDirectoriesAreMade() {
    share("a/b/c/n.json").withLock { $0 = [1] }
    #expect(share("a/b/c/n.json").wrappedValue == [1])
  }

  @Test func aPathIsAsGoodAsAURL() {
    let path = directory.file("n.json").path
    elsewhere { Shared(wrappedValue: 0, .fileStorage(path)) }.withLock { $0 = 4 }
    #expect(elsewhere { Shared(wrappedValue: 0, .fileStorage(directory.file("n.json"))) }.wrappedValue == 4)
  }

  @Test func theChangeOfAnotherProgramIsSeen() async {
    let (ours, theirs) = (share(), share())
    theirs.withLock { $0 = [3] }
    await ours.reaches { $0 == [3] }
    ours.withLock { $0.append(4) }
    await theirs.reaches { $0 == [3, 4] }
  }

  @Test func aProcessThatReplacesTheFileIsSeen() async throws {
    let numbers = share()
    let file = directory.file("n.json").path
    let shell = try Process.run(
      URL(filePath: "/bin/sh"), arguments: ["-c", "echo '[7]' > \"$0.new\" && mv \"$0.new\" \"$0\"", file])
    await numbers.reaches { $0 == [7] }
    shell.waitUntilExit()
  }

  @Test func aProcessThatWritesIntoTheFileIsSeen() async throws {
    let numbers = share()
    numbers.withLock { $0 = [1] }
    let shell = try Process.run(
      URL(filePath: "/bin/sh"), arguments: ["-c", "echo '[8]' > \"$0\"", directory.file("n.json").path])
    await numbers.reaches { $0 == [8] }
    shell.waitUntilExit()
  }

  @Test func aRemovedFileBringsTheInitialValueBack() async throws {
    let numbers = share(default: [0])
    numbers.withLock { $0 = [1] }
    try FileManager.default.removeItem(at: directory.file("n.json"))
    await numbers.reaches { $0 == [0] }
  }

  @Test func aFileInARemovedDirectoryIsWatchedAgainAfterTheNextWrite() async throws {
    let numbers = share("sub/n.json")
    numbers.withLock { $0 = [1] }
    try FileManager.default.removeItem(at: directory.file("sub"))
    await numbers.reaches { $0 == [] }
    numbers.withLock { $0 = [2] }
    share("sub/n.json").withLock { $0 = [3] }
    await numbers.reaches { $0 == [3] }
  }

  @Test func aMalformedFileIsALoadErrorUntilItIsReplaced() throws {
    try Data("[1, 2".utf8).write(to: directory.file("n.json"))
    let numbers = share(default: [5])
    #expect(numbers.wrappedValue == [5])
    #expect(numbers.loadError is DecodingError)
    numbers.withLock { $0.append(6) }
    #expect(numbers.loadError == nil)
    let again = share()
    #expect(again.wrappedValue == [5, 6] && again.loadError == nil)
  }

  @Test func aFileThatBecomesMalformedLeavesTheValue() async throws {
    let numbers = share()
    numbers.withLock { $0 = [1] }
    try Data("nonsense".utf8).write(to: directory.file("n.json"), options: .atomic)
    await becomes { numbers.loadError != nil }
    #expect(numbers.wrappedValue == [1])
    try Data("[2]".utf8).write(to: directory.file("n.json"), options: .atomic)
    await numbers.reaches { $0 == [2] }
    #expect(numbers.loadError == nil)
  }

  @Test func aFileThatCannotBeWrittenIsASaveError() throws {
    try FileManager.default.createDirectory(at: directory.file("n.json"), withIntermediateDirectories: true)
    let numbers = share(default: [1])
    #expect(numbers.loadError as? FileSystemError != nil)
    numbers.withLock { $0 = [2] }
    #expect((numbers.saveError as? FileSystemError)?.operation == "rename")
    #expect(numbers.wrappedValue == [2])
    #expect(directory.names == ["n.json"])
  }

  @Test func aLinkToAMissingFileStays() throws {
    let link = directory.file("n.json")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "new/second.json")
    try FileManager.default.createDirectory(at: directory.file("new"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("new/second.json").path, withDestinationPath: "../real.json")
    share().withLock { $0 = [1] }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "new/second.json")
    #expect(directory.text("real.json")?.contains("1") == true)
    // A link to itself has no target.
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "n.json")
    share().withLock { $0 = [2] }
    #expect(directory.text("n.json")?.contains("2") == true)
  }

  @Test func aFileKeepsItsPermissionsAndALinkStays() throws {
    let (real, link) = (directory.file("real.json"), directory.file("n.json"))
    try Data("[1]".utf8).write(to: real)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real.path)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
    share().withLock { $0 = [2] }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == real.path)
    #expect(try JSONDecoder().decode([Int].self, from: Data(contentsOf: real)) == [2])
    #expect(
      try FileManager.default.attributesOfItem(atPath: real.path)[.posixPermissions] as? Int == 0o640)
  }

  @Test func codersCanBeGiven() throws {
    let file = directory.file("words.txt")
    withDependencies {
      $0.defaultFileStorage = .fileSystem
    } operation: {
      @Shared(
        .fileStorage(
          file, decode: { @Sendable in String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) },
          encode: { @Sendable in Data($0.joined(separator: "\n").utf8) }))
      var words: [String] = []
      $words.withLock { $0 = ["a", "b"] }
    }
    #expect(directory.text("words.txt") == "a\nb")

    let encoder = JSONEncoder()
    encoder.outputFormatting = []
    elsewhere { Shared(wrappedValue: [], .fileStorage(directory.file("n.json"), encoder: encoder)) }
      .withLock { $0 = [1] }
    #expect(directory.text("n.json") == "[1]")
  }

  /// Two threads here and one external writer: all end with the value on the disk, whatever the order.
  @Test func everybodyEndsWithWhatIsOnTheDisk() async throws {
    let (ours, theirs) = (share(), share())
    await withTaskGroup { group in
      for writer in [ours, ours, theirs] {
        group.addTask { for number in 0..<20 { writer.withLock { $0 = [number, $0.count + number] } } }
      }
    }
    await becomes {
      let onDisk = try? JSONDecoder().decode([Int].self, from: Data(contentsOf: directory.file("n.json")))
      return onDisk == ours.wrappedValue && onDisk == theirs.wrappedValue
    }
  }

  /// File events from the store's own writes must not undo a newer change.
  @Test func noneOfOurChangesIsLostToItsOwnEcho() async {
    let count = elsewhere { Shared(wrappedValue: 0, .fileStorage(directory.file("count.json"))) }
    await withTaskGroup { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<50 { count.withLock { $0 += 1 } } } }
    }
    await count.reaches { $0 == 200 }
    #expect(elsewhere { Shared(wrappedValue: 0, .fileStorage(directory.file("count.json"))) }.wrappedValue == 200)
  }

  @Test func testsHaveFilesInMemory() {
    @Shared(.fileStorage(directory.file("n.json"))) var numbers = [1]
    $numbers.withLock { $0 = [2] }
    #expect(directory.names == [])
    withDependencies {
      $0.persistentReferences = PersistentReferences()
    } operation: {
      @Shared(.fileStorage(directory.file("n.json"))) var other = [0]
      #expect(other == [2])
      $other.withLock { $0 = [3] }
    }
    #expect(numbers == [3])
  }

  /// Polls a condition that no event announces; the suite's time limit ends it otherwise.
  private func becomes(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(1)) }
  }
}
