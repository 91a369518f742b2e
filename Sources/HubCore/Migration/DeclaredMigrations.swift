package import Wire

/// The migrations that a feature declares, without the type of its state.
package struct DeclaredMigrations {
  private let steps: [Migration]
  /// The type of the feature's state, and its schema.
  private let target: ObjectIdentifier
  private let schema: Schema

  /// - Precondition: At most one step begins at each place, none at the feature's state, and steps lead in no circle.
  init<State: Replicated>(_ steps: [Migration], of state: State.Type, _ schema: Schema) {
    (self.steps, target, self.schema) = (steps, ObjectIdentifier(state), schema)
    var sources: Set<String> = []
    var types: Set<ObjectIdentifier> = []
    for step in steps {
      switch step.source {
      case .fingerprint(let digits):
        let isNew = !sources.contains { $0.hasPrefix(digits) || digits.hasPrefix($0) }
        precondition(isNew, "two migrations begin with the fingerprint \(digits)")
        sources.insert(digits)
      case .type(let type, _):
        precondition(type != target, "a migration begins with the feature's own state: \(step.name)")
        let isNew = types.insert(type).inserted
        precondition(isNew, "two migrations begin with the same type: \(step.name)")
      }
    }
    for step in steps {
      var (next, visited): (Migration?, Int) = (step, 0)
      while let current = next {
        visited += 1
        precondition(visited <= steps.count, "migrations lead in a circle: \(step.name)")
        next = self.step(after: current)
      }
    }
  }

  /// True if there are none.
  var isEmpty: Bool { steps.isEmpty }

  /// The steps from a schema to the feature's; nil if none begins there, so that its state is converted by name.
  package func chain(from source: Schema) -> MigrationChain? {
    guard !steps.isEmpty, source != schema else { return nil }
    let digits = "\(source.fingerprint)"
    let state = source.ofStateAlone
    let first =
      steps.first { if case .fingerprint(let start) = $0.source { digits.hasPrefix(start) } else { false } }
      ?? steps.first { if case .type(_, let type) = $0.source { type == state } else { false } }
    guard let first else { return nil }
    var chain = [first]
    while let next = step(after: chain[chain.count - 1]) { chain.append(next) }
    return MigrationChain(source: source, target: schema, steps: chain, isComplete: chain.last?.result == target)
  }

  private func step(after step: Migration) -> Migration? {
    steps.first { if case .type(step.result, _) = $0.source { true } else { false } }
  }
}

/// The steps from an earlier schema to the feature's.
package struct MigrationChain {
  package let source: Schema
  package let target: Schema
  fileprivate let steps: [Migration]
  /// True if the last step returns the feature's state; otherwise its result is converted by name.
  fileprivate let isComplete: Bool

  fileprivate init(source: Schema, target: Schema, steps: [Migration], isComplete: Bool) {
    (self.source, self.target, self.steps, self.isComplete) = (source, target, steps, isComplete)
  }

  private var last: Migration { steps[steps.count - 1] }

  /// The names of the steps, such as "3d55c9e700f5 to Version2".
  package var names: [String] {
    steps.map(\.name) + (isComplete ? [] : ["\(last.resultSchema.name(of: last.resultSchema.state)) by name"])
  }

  /// Converts a state.
  /// - Throws: `RecoveryError.migration`.
  func convert(_ state: [UInt8]) throws(RecoveryError) -> [UInt8] {
    var (state, schema) = (state, source)
    for step in steps {
      do { state = try step.convert(state, schema) } catch { throw .migration(step.name, "\(error)") }
      schema = step.resultSchema
    }
    guard !isComplete else { return state }
    do {
      let mapping = try SchemaMapping(from: schema, to: target, .state, sides: .journalAndProgram)
      var decoder = CBORDecoder(state.span.bytes)
      var encoder = CBOREncoder()
      try mapping.mapValue(&decoder, to: &encoder)
      return encoder.bytes
    } catch let error as SchemaMismatch {
      throw .incompatible("after the migration \(last.name), \(error.description)")
    } catch {
      throw .migration(names[names.count - 1], "\(error)")
    }
  }
}
