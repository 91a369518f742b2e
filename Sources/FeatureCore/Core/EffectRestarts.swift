/// The work with a declared restart that has begun or ended since somebody last took note.
package struct EffectRestarts<Action> {
  /// The numbers of the begun work that has not ended, with the actions that restart it.
  package private(set) var begun: [UInt64: Action] = [:]
  /// The numbers of the ended work that had begun before, in the order of the ends.
  package private(set) var ended: [UInt64] = []

  /// True if nothing has begun or ended.
  package var isEmpty: Bool { begun.isEmpty && ended.isEmpty }

  mutating func begin(_ number: UInt64, _ action: Action) { begun[number] = action }

  /// Notes an end. Of work that began and ended meanwhile nothing remains.
  mutating func end(_ number: UInt64) {
    if begun.removeValue(forKey: number) == nil { ended.append(number) }
  }
}
