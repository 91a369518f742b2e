import ComposableArchitecture
import EventLoop
import Glibc
import RandomNumbers
import StoreClient
import TestFeatures

/// Changes the notes of a shared model, one change after the other, and measures its own CPU time, for `bench/shared.py`.
///
///     sharedprobe SOCKET
///
/// Each line of the input is an operation and a number: `fill 1000` adds notes up to this number; `edit`, `insert`,
/// `remove` and `move` change as many notes at random places. After each line it prints the CPU time of this process and
/// the elapsed time, both in µs.
@main
struct SharedProbe {
  @MainActor static func main() throws {
    guard CommandLine.arguments.count == 2 else { fail("usage: sharedprobe SOCKET") }
    let loop = try EventLoop()
    try loop.drainMainQueue()
    let hub = try StoreClient(sharing: Notebook.self, loop: loop, path: CommandLine.arguments[1], name: "sharedprobe")
    hub.onConnectionNotice = nil
    prepareDependencies { $0.sharedModels.add(hub) }
    let probe = Probe()
    hub.start()
    // The next line follows the output for the one before.
    let input = try Poll(on: loop, descriptor: STDIN_FILENO) { _ in
      guard let line = readLine() else { exit(0) }
      Task {
        do { try await probe.execute(line) } catch { fail("\(error)") }
      }
    }
    try input.start(.readable)
    loop.run()
  }
}

@MainActor private final class Probe {
  @Shared(.hub(\Notebook.notes)) private var notes: IdentifiedArrayOf<Notebook.Note> = []
  private var random = SplitMix(seed: 1)
  private var lastID = 0

  func execute(_ line: String) async throws {
    let words = line.split(separator: " ")
    guard words.count == 2, let count = Int(words[1]) else { fail("no operation and number: \(line)") }
    if $notes.isLoading { try await $notes.load() }
    let (processor, start) = (time(CLOCK_PROCESS_CPUTIME_ID), time(CLOCK_MONOTONIC))
    try await perform(words[0], count)
    print(time(CLOCK_PROCESS_CPUTIME_ID) - processor, time(CLOCK_MONOTONIC) - start)
    fflush(nil)
  }

  private func perform(_ operation: Substring, _ count: Int) async throws {
    switch operation {
    case "fill": try await fill(upTo: count)
    case "edit": try await change(count) { [self] in $0[id: randomID()]?.stars += 1 }
    case "insert": try await change(count) { [self] in $0.insert(note(), at: randomIndex($0.count + 1)) }
    case "remove": try await change(count) { [self] in $0.remove(id: randomID()) }
    case "move":
      try await change(count) { [self] in
        let note = $0.remove(at: randomIndex($0.count))
        $0.insert(note, at: randomIndex($0.count + 1))
      }
    default: fail("no operation: \(operation)")
    }
  }

  /// Makes changes, each after the hub has taken the one before it.
  private func change(
    _ count: Int, _ body: @Sendable @MainActor (inout IdentifiedArrayOf<Notebook.Note>) -> Void
  ) async throws {
    for _ in 0..<count {
      $notes.withLock(body)
      try await $notes.save()
    }
  }

  /// In changes that are smaller than the limit of a frame.
  private func fill(upTo count: Int) async throws {
    while notes.count < count {
      let missing = min(5_000, count - notes.count)
      $notes.withLock { notes in
        for _ in 0..<missing { notes.append(note()) }
      }
      try await $notes.save()
    }
  }

  private func note() -> Notebook.Note {
    lastID += 1
    return Notebook.Note(id: "note \(lastID)", title: "the note with the number \(lastID)")
  }

  private func randomIndex(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private func randomID() -> String { notes[randomIndex(notes.count)].id }
}

/// The time of a clock in µs.
private func time(_ clock: clockid_t) -> Int {
  var time = timespec()
  clock_gettime(clock, &time)
  return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}

private func fail(_ message: String) -> Never {
  let line = Array("sharedprobe: \(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  exit(1)
}
