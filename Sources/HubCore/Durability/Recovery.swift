public import TurnLog
public import Wire

/// Brings an engine to the state in a log: a snapshot, then the deltas of the turns after it.
///
/// ```swift
/// var recovery = Recovery(of: engine)
/// try recovery.restore(snapshot: bytes, writtenFor: schema, at: revision, position: position)
/// for turn in turns { try recovery.apply(turn, writtenFor: schema) }
/// let history = recovery.history(id: id, sessions: sessions)
/// ```
///
/// The reducer does not run, so the state is exact even if reducers or dependencies have changed.
public struct Recovery: ~Copyable {
  private let engine: any Engine
  private let versionLimit: Int
  private let replacementLimit: Int
  private var position: UInt64 = 0
  /// The size of the turns after the newest snapshot.
  private var unsavedByteCount = 0
  /// The bytes of the snapshot and of the deltas after it, which are the largest possible size of the state; nil without
  /// a snapshot, and if some of the bytes were converted, because new fields add to the state.
  private var stateBound: Int?
  private var versions: [(revision: UInt64, state: StateVersion)] = []
  /// The schema of the newest bytes, if it is not the feature's.
  private var newestForeign: Schema?
  /// The schema of the state, if it is not the feature's.
  package var foreignSchema: Schema? { newestForeign }
  private var hasForeignBytes: Bool { newestForeign != nil }
  /// The schema from which the recovered state was converted; nil if it had the feature's.
  private var earlierSchema: Schema?
  /// The fields in the recovered state that the feature does not have, so their values are dropped.
  package private(set) var droppedFields: [String] = []
  /// The effects with a declared restart that have not ended.
  private var effects = RecoveredEffects()
  /// The number of effects whose restart this program does not have; they are dropped.
  package private(set) var droppedEffectCount = 0
  /// The snapshot and the turns after it, while they have another schema.
  private var foreign: ForeignState?
  /// The revision of `foreign`, if the engine cannot follow its turns; nil if the engine has the state.
  private var foreignRevision: UInt64?
  /// The declared migrations from the schema of `foreign`; nil if it is converted by name.
  private var chain: MigrationChain?
  /// True if declared migrations have yet to convert the state.
  var mustMigrate: Bool { chain != nil && foreignRevision != nil }
  /// The migrations that the recovered state has passed; nil if there were none.
  package private(set) var migration: MigrationChain?
  /// Called before migrations run: a step that traps ends the process.
  package var onMigration: ((MigrationChain) -> Void)?
  /// The mapping for bytes of an older schema.
  private var mapping: (source: SchemaFingerprint, state: SchemaMapping)?

  /// Begins with an engine at revision 0.
  ///
  /// - Parameters:
  ///   - engine: The engine.
  ///   - versionLimit: The number of versions to keep for reconnecting clients.
  public init<State, Action>(
    of engine: FeatureEngine<State, Action>, versionLimit: Int = HubLimits().versions
  ) {
    self.init(engine: engine, versionLimit: versionLimit)
  }

  /// - Parameter replacementLimit: The largest state, in bytes, that the turn of a conversion contains.
  package init(
    engine: any Engine, versionLimit: Int = HubLimits().versions, replacementLimit: Int = HubLimits().stateBytes
  ) {
    (self.engine, self.versionLimit, self.replacementLimit) = (engine, versionLimit, replacementLimit)
  }

  /// The revision that has been reached.
  public var revision: UInt64 { foreignRevision ?? engine.revision }

  /// Takes the state from a snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The state's bytes.
  ///   - schema: The schema of the bytes.
  ///   - revision: The state's revision.
  ///   - position: The last turn that the state includes.
  ///   - effects: The effects with a declared restart that were in flight after that turn.
  /// - Throws: An error if the schema does not fit the feature, or if the bytes are malformed.
  public mutating func restore(
    snapshot: RawSpan, writtenFor schema: Schema, at revision: UInt64, position: UInt64,
    effects: EffectsInFlight = EffectsInFlight()
  ) throws(RecoveryError) {
    foreign = schema == engine.schema ? nil : ForeignState(snapshot, of: schema)
    foreignRevision = nil
    chain = foreign == nil ? nil : engine.migrations.chain(from: schema)
    if chain != nil {
      // Steps convert a whole state: the one after the turns of its schema.
      foreignRevision = revision
    } else {
      do throws(RecoveryError) { try convert(snapshot, schema, at: revision, position) } catch {
        try postpone(error, to: revision)
      }
    }
    (self.position, unsavedByteCount, stateBound, versions) = (position, 0, snapshot.byteCount, [])
    self.effects = RecoveredEffects()
    self.effects.apply(EffectChanges(begun: effects.inOrder), writtenFor: schema)
    noteSchema(schema)
    keepVersion()
  }

  /// Applies the delta of the next turn.
  ///
  /// - Parameters:
  ///   - delta: The turn's change of the state; empty if there is none.
  ///   - schema: The schema of the delta.
  ///   - base: The revision before the turn.
  ///   - revision: The revision after it.
  ///   - position: The turn's position in the log.
  ///   - byteCount: The size of the whole turn. It counts towards the hub's next snapshot.
  ///   - effects: The effects with a declared restart that have begun or ended in the turn.
  /// - Throws: An error if the turn does not follow the last one, or if its bytes are malformed.
  public mutating func apply(
    delta: RawSpan, writtenFor schema: Schema, from base: UInt64, to revision: UInt64, position: UInt64,
    byteCount: Int, effects: EffectChanges = EffectChanges()
  ) throws(RecoveryError) {
    guard position == self.position + 1, base == self.revision else {
      throw .gap(position: position, base: base, expected: self.position + 1, revision: self.revision)
    }
    if foreign?.schema != schema { try beginTurns(of: schema) }
    self.position = position
    if !effects.isEmpty { self.effects.apply(effects, writtenFor: schema) }
    unsavedByteCount += byteCount
    noteSchema(schema)
    stateBound = stateBound.map { $0 + delta.byteCount }
    guard revision != base else { return }
    foreign?.append(delta)
    guard foreignRevision == nil else { return foreignRevision = revision }
    do throws(RecoveryError) { try convert(delta: delta, schema, to: revision) } catch {
      return try postpone(error, to: revision)
    }
    keepVersion()
  }

  // MARK: Conversion

  private mutating func convert(
    _ snapshot: RawSpan, _ schema: Schema, at revision: UInt64, _ position: UInt64
  ) throws(RecoveryError) {
    let state = try mapped(snapshot, schema, at: position) { mapping, decoder, encoder throws(WireError) in
      try mapping.mapValue(&decoder, to: &encoder)
    }
    do throws(WireError) {
      if let state {
        try engine.restore(state.span.bytes, at: revision)
      } else {
        try engine.restore(snapshot, at: revision)
      }
    } catch {
      throw .malformed(position: position, error)
    }
  }

  private mutating func convert(delta: RawSpan, _ schema: Schema, to revision: UInt64) throws(RecoveryError) {
    let mapped = try mapped(delta, schema, at: position) { mapping, decoder, encoder throws(WireError) in
      try mapping.mapChange(&decoder, to: &encoder)
    }
    do throws(WireError) {
      if let mapped {
        try engine.restore(delta: mapped.span.bytes, to: revision)
      } else {
        try engine.restore(delta: delta, to: revision)
      }
    } catch {
      throw .malformed(position: position, error)
    }
  }

  /// Leaves the conversion to the end, when the state may no longer have the value that the feature does not have.
  private mutating func postpone(_ error: RecoveryError, to revision: UInt64) throws(RecoveryError) {
    guard foreign != nil, case .malformed(_, let cause) = error, case .unknownName = cause.problem else { throw error }
    foreignRevision = revision
  }

  /// Prepares for turns of another schema than that of the last one.
  private mutating func beginTurns(of schema: Schema) throws(RecoveryError) {
    guard !engine.migrations.isEmpty, schema != engine.schema, let chain = engine.migrations.chain(from: schema) else {
      try convertForeignState()
      (foreign, self.chain) = (nil, nil)
      return
    }
    // The state is followed in the form of that schema, to which the next turn usually brings the whole of it.
    let revision = self.revision
    do throws(WireError) {
      foreign =
        if let foreign {
          try ForeignState(foreign.encoded(), of: foreign.schema, continuedIn: schema)
        } else {
          try ForeignState(engine.encodedState(), of: engine.schema, continuedIn: schema)
        }
    } catch {
      throw .malformed(position: position, error)
    }
    (self.chain, foreignRevision) = (chain, revision)
  }

  /// Converts the state after the turns of another schema, if that was postponed.
  mutating func convertForeignState() throws(RecoveryError) {
    guard let foreign, let revision = foreignRevision else { return }
    let state: [UInt8]
    do throws(WireError) { state = try foreign.encoded() } catch { throw .malformed(position: position, error) }
    if let chain {
      onMigration?(chain)
      let converted = try chain.convert(state)
      do throws(WireError) {
        try engine.restore(converted.span.bytes, at: revision)
        // As after each action: what cannot be read again is not stored.
        try engine.readBack()
      } catch {
        throw .migration(chain.names.joined(separator: ", "), "the result cannot be read back: \(error)")
      }
      (foreignRevision, migration) = (nil, chain)
      return
    }
    do throws(RecoveryError) { try convert(state.span.bytes, foreign.schema, at: revision, position) } catch {
      guard case .malformed(_, let cause) = error, case .unknownName = cause.problem else { throw error }
      throw .incompatible("\(cause)")
    }
    foreignRevision = nil
  }

  /// Tries the conversion that `renumber` makes, and stays in the schema of the log, so that further turns of it can be
  /// applied.
  ///
  /// - Throws: The reason why the state cannot be converted, or `tooLarge`: the turn would not have all of it.
  package mutating func rehearse() throws(RecoveryError) {
    let revision = foreignRevision
    try convertForeignState()
    (foreignRevision, migration) = (revision, nil)
    droppedFields = fieldsToDrop
    guard engine.isReplaceable(byteLimit: replacementLimit) else { throw .tooLarge(byteLimit: replacementLimit) }
  }

  /// The fields that a conversion by names loses. Declared steps decide for themselves what becomes of a field.
  private var fieldsToDrop: [String] {
    chain == nil ? newestForeign?.stateFields(missingIn: engine.schema) ?? [] : []
  }

  /// True if `renumber` has converted a state of another schema.
  package var isConverted: Bool { earlierSchema != nil }

  /// Applies the turns of another schema to its snapshot, so that they need not be kept one by one.
  package mutating func foldForeignState() throws(RecoveryError) {
    guard let foreign else { return }
    let state: [UInt8]
    do throws(WireError) { state = try foreign.encoded() } catch { throw .malformed(position: position, error) }
    self.foreign = ForeignState(state.span.bytes, of: foreign.schema)
  }

  /// Records the schema of the newest bytes. A client with a revision of another schema may have another state than the
  /// converted one, so it needs a snapshot, even if later turns have the feature's schema.
  private mutating func noteSchema(_ schema: Schema) {
    newestForeign = schema == engine.schema ? nil : schema
    if hasForeignBytes { (versions, stateBound) = ([], nil) }
  }

  /// Keeps the state for clients that have its revision.
  private mutating func keepVersion() {
    guard !hasForeignBytes else { return }
    // Up to twice as many are kept, so that not every turn moves them all.
    if versions.count >= 2 * versionLimit { versions.removeFirst(versionLimit) }
    versions.append((revision, engine.currentVersion()))
  }

  /// Applies the delta of the next turn; see `apply(delta:writtenFor:from:to:position:byteCount:)`.
  public mutating func apply(_ turn: LoggedTurn, writtenFor schema: Schema) throws(RecoveryError) {
    try apply(
      delta: turn.delta.span.bytes, writtenFor: schema, from: turn.baseRevision, to: turn.revision,
      position: turn.position, byteCount: turn.byteCount, effects: turn.effects)
  }

  /// Gives a state of another schema a new revision, in a turn for the log without actions.
  ///
  /// The conversion may have dropped a field, whose value is then lost if the earlier schema comes back. So a client that
  /// has the state of the last revision may have another one than the hub, and must not be sent the changes since then.
  ///
  /// The turn's delta replaces the whole state: the default values of new fields, such as dates, may be others when the
  /// log is read again. A state above the default limit of 256 MiB is too large for one turn; its delta changes nothing.
  /// Effects end in this turn if the feature does not have the action that would restart them.
  ///
  /// - Parameter time: The wall-clock time, in milliseconds since 1970-01-01 00:00 UTC.
  /// - Returns: The turn, which has been applied; nil if the state has the feature's schema.
  public mutating func renumber(at time: Int64) throws(RecoveryError) -> LoggedTurn? {
    guard let newestForeign else { return nil }
    try convertForeignState()
    earlierSchema = newestForeign
    droppedFields = fieldsToDrop
    let dropped = effects.convert(to: engine.schema)
    droppedEffectCount = dropped.count
    let turn = LoggedTurn(
      position: position + 1, baseRevision: revision, revision: revision + 1, time: time,
      delta: engine.replacement(byteLimit: replacementLimit),
      effects: EffectChanges(ended: dropped))
    try apply(turn, writtenFor: engine.schema)
    return turn
  }

  /// The recovered state, to be saved in the log.
  public mutating func snapshot() -> LogSnapshot {
    precondition(foreignRevision == nil, "a converted state gets a new revision first")
    unsavedByteCount = 0
    _ = effects.convert(to: engine.schema)
    return LogSnapshot(
      of: engine.currentVersion(), at: engine.revision, position: position, effects: effects.inFlight)
  }

  /// The starting point for the hub.
  ///
  /// - Parameters:
  ///   - id: Identifies the history: the log's own id if the end of a process cannot lose anything that a client may
  ///     have seen, otherwise a new one for each start.
  ///   - sessions: The sessions in the log, least recently used first.
  ///   - time: The time of the last turn in the log, in milliseconds since 1970: the reducer's time never goes backwards.
  ///   - region: The calendar, the time zone and the locale of the last turn, which a hub that follows another tells its
  ///     clients until the next turn; nil if they are not known.
  public consuming func history(
    id: UInt64, sessions: [LoggedSession], time: Int64 = .min, region: RegionalSettings? = nil
  ) -> HubHistory {
    precondition(foreignRevision == nil, "a converted state gets a new revision first")
    // Effects that began before a change of the schema and were not dropped then.
    _ = effects.convert(to: engine.schema)
    return HubHistory(
      id: id, isLogged: true, position: position, unsavedByteCount: unsavedByteCount, stateBound: stateBound,
      sessions: sessions, versions: versions.suffix(versionLimit), effects: effects.inFlight,
      time: time, earlierSchema: earlierSchema, region: region)
  }

  /// Converts bytes of another schema to the feature's; returns nil if the schema is the feature's.
  private mutating func mapped(
    _ bytes: RawSpan, _ schema: Schema, at position: UInt64,
    _ map: (SchemaMapping, inout CBORDecoder, inout CBOREncoder) throws(WireError) -> Void
  ) throws(RecoveryError) -> [UInt8]? {
    guard schema != engine.schema else { return nil }
    do throws(SchemaMismatch) {
      if mapping?.source != schema.fingerprint {
        mapping = (
          schema.fingerprint, try SchemaMapping(from: schema, to: engine.schema, .state, sides: .journalAndProgram)
        )
      }
    } catch {
      throw .incompatible(error.description)
    }
    guard let mapping, !mapping.state.isIdentity else { return nil }
    var decoder = CBORDecoder(bytes)
    var encoder = CBOREncoder()
    do throws(WireError) {
      try map(mapping.state, &decoder, &encoder)
    } catch {
      throw .malformed(position: position, error)
    }
    return encoder.bytes
  }
}

/// An error that prevents the recovery of a state.
public enum RecoveryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The log's state does not fit the feature; this is the first difference.
  case incompatible(String)
  /// A declared migration has failed: the name of the step, and the reason.
  case migration(String, String)
  /// The bytes of a turn, or of the snapshot at that position, are not a state or delta of the feature.
  case malformed(position: UInt64, WireError)
  /// A turn does not follow the previous one.
  case gap(position: UInt64, base: UInt64, expected: UInt64, revision: UInt64)
  /// The state is too large for the turn of a conversion, which has all of it.
  case tooLarge(byteLimit: Int)
  /// The reducer has read a calendar, a time zone or a locale that this program does not know; this is the problem.
  case unknownRegion(position: UInt64, String)

  /// A description of the problem.
  public var description: String {
    switch self {
    case .incompatible(let difference):
      "the stored state does not fit this program's feature: \(difference)"
    case .migration(let step, let reason):
      "the migration of the stored state has failed: \(step): \(reason)"
    case .malformed(let position, let error):
      "turn \(position) cannot be read: \(error)"
    case .gap(let position, let base, let expected, let revision):
      "turn \(position) from revision \(base) was found where turn \(expected) from revision \(revision) belongs"
    case .tooLarge(let limit):
      "the state has more than \(limit >> 20) MiB, which is too much for the turn that would convert it"
    case .unknownRegion(let position, let problem):
      "turn \(position) cannot be repeated: \(problem)"
    }
  }
}
