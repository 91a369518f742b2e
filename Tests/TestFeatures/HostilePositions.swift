public import IdentifiedCollections
import TestSupport
public import Wire

/// A value in each position that a state has: field, element, key, value, member, id, payload, optional, nested.
@Replicated
public struct HostilePositions<Value: HostileValue>: Equatable, Sendable {
  public var field: Value?
  public var elements: [Value] = []
  public var byKey: [Value: Int] = [:]
  public var byName: [String: Value] = [:]
  public var members: Set<Value> = []
  public var rows: IdentifiedArrayOf<HostileRow<Value>> = []
  public var choice = HostileChoice<Value>.none
  public var optional: Value??
  public var nested: [[Value?: Set<Value>]] = []

  public init() {}
}

/// An element whose id is a hostile value.
@Replicated
public struct HostileRow<Value: HostileValue>: Equatable, Identifiable, Sendable {
  public let id: Value
  public var note: Value

  public init(id: Value, note: Value) { (self.id, self.note) = (id, note) }
}

/// Payloads with a hostile value.
@Replicated
public enum HostileChoice<Value: HostileValue>: Equatable, Sendable {
  case none
  case one(Value)
  case pair(Value, label: Value?)
  case row(HostileRow<Value>)
}

extension HostilePositions {
  private static var limit: Int { 24 }

  /// Makes a random change. Collections stay small.
  mutating func change(using random: inout SplitMix) {
    let value = Value.hostile(using: &random)
    switch random.below(24) {
    case 0: field = value
    case 1: field = nil
    case 2: elements.insert(value, at: random.below(elements.count + 1))
    case 3: if !elements.isEmpty { elements.remove(at: random.below(elements.count)) }
    case 4: elements = (0..<random.pick([0, 1, 3, 2000])).map { _ in value }
    case 5, 6: byKey[value] = random.below(3)
    case 7: if let key = byKey.keys.first(where: { $0 == value }) ?? byKey.keys.first { byKey[key] = nil }
    // A key that equals the old one may have other bytes.
    case 8: byKey.removeValue(forKey: value).map { byKey[value] = $0 }
    case 9: byName[.hostile(using: &random)] = value
    case 10: byName[.hostile(using: &random)] = nil
    case 11: members.insert(value)
    case 12: members.update(with: value)
    case 13: if let member = members.first { members.remove(member) }
    case 14: rows.append(HostileRow(id: value, note: .hostile(using: &random)))
    case 15: rows.insert(HostileRow(id: value, note: value), at: random.below(rows.count + 1))
    case 16: if !rows.isEmpty { rows[random.below(rows.count)].note = value }
    case 17: if !rows.isEmpty { rows.remove(at: random.below(rows.count)) }
    case 18: rows.updateOrAppend(HostileRow(id: value, note: value))
    case 19: if rows.count > 1 { rows.swapAt(0, rows.count - 1) }
    case 20:
      choice = random.pick([
        .none, .one(value), .pair(value, label: .hostile(using: &random)), .row(HostileRow(id: value, note: value)),
      ])
    case 21: optional = random.pick([nil, .some(nil), value])
    case 22: nested.append([value: [value], nil: []])
    default: nested = nested.dropLast()
    }
    trim()
  }

  private mutating func trim() {
    if elements.count > Self.limit, elements.count != 2000 { elements = [] }
    if byKey.count > Self.limit { byKey = [:] }
    if byName.count > Self.limit { byName = [:] }
    if members.count > Self.limit { members = [] }
    if rows.count > Self.limit { rows = [] }
    if nested.count > 4 { nested = [] }
  }
}
