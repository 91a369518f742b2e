import IdentifiedCollections
internal import RandomNumbers
import ReplicatedArchitecture

/// A part of the simulated state that clients edit as a shared model: each sends what it did to the value that it shows.
@Replicated
struct SharedPlan: Equatable, Sendable {
  var rows: IdentifiedArrayOf<SharedRow> = []
  var votes: SharedCounter = 0
  var marks: Set<Int> = []
  var log: [UInt64] = []
}

@Replicated
struct SharedRow: Equatable, Identifiable, Sendable {
  let id: Int
  var title = ""
}

/// What must remain of an edit, whatever others do.
enum SharedWork {
  /// A new row that nobody removes.
  case row(Int)
  case votes(Int)
  case logged(UInt64)
  /// Others may undo it.
  case nothing
}

extension SharedPlan {
  /// Makes one random edit of one field; the tag identifies what it adds.
  mutating func edit(_ chance: inout SplitMix, tag: UInt64) -> SharedWork {
    let small = chance.number(0...7)
    switch chance.number(0...9) {
    case 0...2:
      rows.insert(SharedRow(id: Int(tag), title: "\(small)"), at: chance.number(0...rows.count))
      return .row(Int(tag))
    case 3, 4:
      votes += small + 1
      return .votes(small + 1)
    case 5:
      log.append(tag)
      return .logged(tag)
    case 6: if rows.remove(id: small) == nil { rows.append(SharedRow(id: small)) }
    case 7 where rows.count > 1:
      rows.move(fromOffsets: [chance.number(0...rows.count - 1)], toOffset: chance.number(0...rows.count))
    case 8 where !rows.isEmpty: rows[chance.number(0...rows.count - 1)].title = "title \(small)"
    default: marks.formSymmetricDifference([small])
    }
    return .nothing
  }
}

extension Simulation {
  /// A change of the shared model by a client that shows the whole state; nil if it changes something else.
  func sharedChange(of client: ClientProcess, tag: UInt64) -> Change? {
    guard plan.sharing > 0, let base = client.prediction?.sharedPlan(), sharing.hits(plan.sharing) else { return nil }
    var edited = base
    let work = edited.edit(&sharing, tag: tag)
    guard var change = SharedChange.changes(from: base, to: edited).first else { return nil }
    if bug == .clientSendsTheValue, let part = edited.part(at: [.key(change.field)]) {
      let whole = part.encoded()
      guard let value = try? SharedChange<SharedPlan>(at: [.key(change.field)], change: whole.span.bytes) else {
        return nil
      }
      change = value
    }
    sharedWork[tag] = work
    report.sharedChanges += 1
    return .shared(change)
  }

  /// Checks that the shared model has all work that took effect and that nobody undoes.
  func checkSharedWork(in hub: HubProcess) throws {
    let shared = hub.engine.state().shared
    var votes = 0
    for (tag, work) in sharedWork.sorted(by: { $0.key < $1.key }) where hub.truth.isApplied(tag) {
      let isThere =
        switch work {
        case .row(let id): shared.rows[id: id] != nil
        case .logged(let entry): shared.log.count { $0 == entry } == 1
        case .votes, .nothing: true
        }
      if case .votes(let count) = work { votes += count }
      guard isThere else { throw Violation(.workLost, "the work of \(Tag.text(tag)) took effect and is gone") }
    }
    guard shared.votes.value == votes else {
      throw Violation(.workLost, "\(votes) votes took effect, and the shared model has \(shared.votes)")
    }
  }
}
