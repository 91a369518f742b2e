internal import FeatureCore
internal import HubCore
internal import JSONText
internal import Journal
internal import SchemaNames
internal import TurnLog
internal import Wire

/// Brings the state in a journal into the form of this program, as the hub would at its start, without writing anything.
/// A hub may write the journal meanwhile.
struct MigrationCheck {
  /// The result.
  struct Report {
    var from: SchemaFingerprint
    var to: SchemaFingerprint
    var revision: UInt64
    /// The names of the migrations; empty if the state is converted by name, or not at all.
    var steps: [String] = []
    var added: [String] = []
    var removed: [String] = []
    var renamed: [String] = []
    var changed: [String] = []
    var values: [FieldValues] = []
    /// The reason why the hub would refuse to start; nil if it would not.
    var refusal: String?
    /// The first difference because of which clients of the earlier version are refused; nil if they continue.
    var clientDifference: String?
    /// The first difference because of which the actions of these clients cannot be sent; nil if they can.
    var actionDifference: String?
    var droppedEffects = 0

    var isNeeded: Bool { from != to }
  }

  /// A field of the state whose value is written in another way: the values as JSON; nil where there is none.
  struct FieldValues {
    /// The name in the new state, or in the stored one if that alone has the field.
    let name: String
    /// The name in the stored state, if it is another one.
    var formerName: String?
    let stored: JSONValue?
    let now: JSONValue?
  }

  let directory: String

  /// - Throws: `LogError` if the journal cannot be read.
  func run<State, Action>(_ engine: FeatureEngine<State, Action>) throws -> Report {
    let target = Schema(state: State.self, action: Action.self)
    let reader = try JournalReader(directory)
    let tail = try reader.extent().tail
    guard let snapshot = try reader.snapshot(upTo: tail) else {
      throw LogError(.trimmed, "\(directory): there is no snapshot, so there is no state to migrate")
    }
    let schemas = try reader.schemas()
    let states = try JournalStates(reader, upTo: snapshot.position)
    var recovery = Recovery(of: engine, versionLimit: 1)
    var (source, failure): (Schema, String?) = (snapshot.schema, nil)
    do throws(RecoveryError) {
      try recovery.restore(
        snapshot: snapshot.bytes.span.bytes, writtenFor: snapshot.schema, at: snapshot.revision,
        position: snapshot.position, effects: snapshot.effects)
    } catch { failure = "\(error)" }
    // The stored state as it is, also if it cannot be migrated.
    while states.position < tail, let (turn, _) = try states.next() {
      source = schemas.last { $0.firstPosition <= turn.position }?.schema ?? source
      guard failure == nil else { continue }
      do throws(RecoveryError) { try recovery.apply(turn, writtenFor: source) } catch { failure = "\(error)" }
    }
    if failure == nil {
      do throws(RecoveryError) { _ = try recovery.renumber(at: .max) } catch { failure = "\(error)" }
    }
    var report = Report(from: source.fingerprint, to: target.fingerprint, revision: states.revision)
    report.refusal = failure
    guard report.isNeeded else { return report }
    report.steps = recovery.migration?.names ?? []
    report.droppedEffects = recovery.droppedEffectCount
    report.removed = source.stateFields(missingIn: target)
    report.added = target.stateFields(missingIn: source)
    report.renamed = source.stateFields(renamedIn: target)
    report.changed = source.stateFields(changedIn: target)
    report.clientDifference = difference(from: target, to: source, .state)
    report.actionDifference = difference(from: source, to: target, .action) ?? missingCases(of: source, in: target)
    if failure == nil { report.values = values(states.value, source, engine.state, target) }
    return report
  }

  private func difference(from source: Schema, to target: Schema, _ root: SchemaMapping.Root) -> String? {
    do throws(SchemaMismatch) {
      _ = try SchemaMapping(from: source, to: target, root)
      return nil
    } catch {
      return error.description
    }
  }

  private func missingCases(of source: Schema, in target: Schema) -> String? {
    let missing = source.actionCases(missingIn: target)
    return missing.isEmpty ? nil : missing.joined(separator: ", ") + " \(missing.count == 1 ? "is" : "are") missing"
  }

  /// The state's fields whose values are written in another way, in the order of the new state.
  private func values<State: Replicated>(
    _ stored: CBORValue, _ source: Schema, _ state: State, _ target: Schema
  ) -> [FieldValues] {
    let bytes = state.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    guard let now = try? SchemaValues(target).value(of: target.state, from: &decoder),
      case .object(let old) = SchemaJSON(source).json(of: stored, as: source.state),
      case .object(let new) = SchemaJSON(target).json(of: now, as: target.state)
    else { return [] }
    let (earlierNames, laterNames) = (target.stateFieldNames(in: source), source.stateFieldNames(in: target))
    var found: [FieldValues] = []
    for member in new {
      let name = earlierNames[member.name] ?? member.name
      let stored = old.first { $0.name == name }?.value
      guard stored != member.value else { continue }
      let formerName = name == member.name ? nil : name
      found.append(FieldValues(name: member.name, formerName: formerName, stored: stored, now: member.value))
    }
    for member in old where laterNames[member.name] == nil && !new.contains(where: { $0.name == member.name }) {
      found.append(FieldValues(name: member.name, stored: member.value, now: nil))
    }
    return found
  }
}
