import ComposableArchitecture
import EventLoop
import Glibc
import RandomNumbers
import StoreClient
import TestFeatures
import Wire

/// Edits the notes of a shared model at random, each editor its own ones, until SIGTERM.
///
///     sharededitor SOCKET NAME SEED
///
/// After each edit, and whenever the hub's value arrives, the reference must contain exactly the editor's own work. It
/// edits as long as the hub has taken all edits but the last 500. On SIGTERM it waits until the hub has taken everything, and then prints its notes, one in a line, with the number of its
/// edits. On SIGUSR1 it prints the hash of the whole value, which must be the same in all editors. It exits with 1 if
/// something is missing or was not taken.
@main
struct SharedEditor {
  @MainActor static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seed = UInt64(arguments[3]) else { fail("usage: sharededitor SOCKET NAME SEED") }
    let loop = try EventLoop()
    try loop.drainMainQueue()
    let hub = try StoreClient(sharing: Notebook.self, loop: loop, path: arguments[1], name: arguments[2])
    hub.onConnectionNotice = nil
    prepareDependencies { $0.sharedModels.add(hub) }
    let editor = Editor(name: arguments[2], seed: seed)
    hub.start()
    let timer = try Timer(on: loop) { editor.edit() }
    timer.start(after: .zero, repeating: .milliseconds(2))
    let end = try Signal(on: loop, SIGTERM) { Task { await editor.finish() } }
    let hash = try Signal(on: loop, SIGUSR1) { editor.printHash() }
    loop.run()
    extendLifetime(timer)
    extendLifetime(end)
    extendLifetime(hash)
  }
}

/// An editor with its own notes.
@MainActor final class Editor {
  @Shared(.hub(\Notebook.notes)) private var notes: IdentifiedArrayOf<Notebook.Note> = []
  @Shared(.hub(\Notebook.edits)) private var edits: SharedCounter = 0
  @Shared(.hub(\Notebook.editors)) private var editors: [String: Int] = [:]
  private let name: String
  private var random: SplitMix
  private var own: [String: Notebook.Note] = [:]
  private var count = 0
  /// The number of edits that the hub has taken.
  private var savedCount = 0
  private var isSaving = false
  private var isEnding = false

  init(name: String, seed: UInt64) {
    self.name = name
    random = SplitMix(seed: seed)
  }

  func edit() {
    if isEnding || count - savedCount >= 500 { return }
    if !isSaving {
      isSaving = true
      Task { await save() }
    }
    check()
    count += 1
    $edits.withLock { $0 += 1 }
    $editors.withLock { $0[name] = count }
    let ids = own.keys.sorted()
    $notes.withLock { notes in
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        let note = Notebook.Note(id: "\(name)-\(count)", title: "edit \(count)")
        own[note.id] = note
        notes.insert(note, at: Bool.random(using: &random) ? notes.count : .random(in: 0...notes.count, using: &random))
      case 2:
        guard let id = ids.randomElement(using: &random) else { return }
        own[id] = nil
        notes.remove(id: id)
      case 3:
        guard let note = notes.randomElement(using: &random) else { return }
        // Anybody's: a note that moves keeps what is changed in it at the same time.
        notes.remove(id: note.id)
        notes.insert(note, at: .random(in: 0...notes.count, using: &random))
      default:
        guard let id = ids.randomElement(using: &random) else { return }
        own[id]?.stars += 1
        own[id]?.tags.formSymmetricDifference(["tag \(Int.random(in: 0..<5, using: &random))"])
        notes[id: id] = own[id]
      }
    }
    check()
  }

  /// Waits for the edits so far, while further ones are made.
  private func save() async {
    let reached = count
    do { try await $edits.save() } catch { fail("\(name): not saved: \(error)") }
    (savedCount, isSaving) = (reached, false)
  }

  /// The reference has the editor's own work, whatever the others do.
  private func check() {
    for (id, note) in own where notes[id: id] != note {
      fail("\(name): note \(id) is \(notes[id: id].map { "\($0)" } ?? "gone"), and should be \(note)")
    }
    for note in notes where note.id.hasPrefix("\(name)-") && own[note.id] == nil { fail("\(note.id) was removed") }
  }

  func finish() async {
    isEnding = true
    do {
      try await $notes.save()
      try await $edits.save()
      try await $editors.save()
    } catch {
      fail("\(name): not saved: \(error)")
    }
    check()
    if let error = $notes.saveError ?? $edits.saveError ?? $editors.saveError { fail("\(name): \(error)") }
    print("edits \(count)")
    for note in own.values { print("note \(note.id) \(note.stars) \(note.tags.sorted().joined(separator: ","))") }
    print("end")
    fflush(nil)
  }

  func printHash() {
    check()
    print("hash \(notes.stateHash()) \(edits.value) \(editors.count)")
    fflush(nil)
  }
}

nonisolated func fail(_ message: String) -> Never {
  let line = Array("\(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  exit(1)
}
