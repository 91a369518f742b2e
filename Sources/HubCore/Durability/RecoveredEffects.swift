import TurnLog
import Wire

/// The effects with a declared restart in a log that is read, with the schemas of their actions.
struct RecoveredEffects {
  private var actions: [UInt64: (bytes: [UInt8], schema: Schema)] = [:]

  /// Follows the changes of a turn.
  mutating func apply(_ changes: EffectChanges, writtenFor schema: Schema) {
    for effect in changes.begun { actions[effect.number] = (effect.action, schema) }
    for number in changes.ended { actions[number] = nil }
  }

  /// The effects that have not ended.
  var inFlight: EffectsInFlight {
    EffectsInFlight(actions.map { UnfinishedEffect(number: $0.key, action: $0.value.bytes) })
  }

  /// Converts all actions to a schema by the names of cases and fields.
  ///
  /// - Returns: The numbers of the effects whose action that schema does not have, in ascending order. They are removed.
  mutating func convert(to target: Schema) -> [UInt64] {
    var mappings: [SchemaFingerprint: SchemaMapping] = [:]
    var dropped: [UInt64] = []
    for (number, action) in actions where action.schema != target {
      let fingerprint = action.schema.fingerprint
      if mappings[fingerprint] == nil {
        mappings[fingerprint] = try? SchemaMapping(from: action.schema, to: target, .action, sides: .journalAndProgram)
      }
      var decoder = CBORDecoder(action.bytes.span.bytes)
      var encoder = CBOREncoder()
      guard let mapping = mappings[fingerprint], (try? mapping.mapValue(&decoder, to: &encoder)) != nil else {
        actions[number] = nil
        dropped.append(number)
        continue
      }
      actions[number] = (encoder.bytes, target)
    }
    return dropped.sorted()
  }
}
