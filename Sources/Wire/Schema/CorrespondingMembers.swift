/// A field of a struct or a case of an enum.
protocol SchemaMember {
  var key: UInt64 { get }
  var name: String { get }
  var formerNames: [String] { get }
}

extension Schema.Field: SchemaMember {}
extension Schema.Case: SchemaMember {}

/// The fields of two structs, or the cases of two enums, that correspond by their names.
///
/// Members of the same name correspond. Of the others, two correspond if the name of one is a former name of the other,
/// whichever side is the newer one. The result is the same from both sides.
struct CorrespondingMembers {
  /// For each of this side's members, the index of its partner on the other side.
  private(set) var partners: [Int?]
  /// The indices of the other side's members without a partner.
  private(set) var others: [Int] = []
  /// The name of a member, and those of two on the other side that it may correspond to by former names. It has no
  /// partner then, and a comparison refuses the pair of types.
  private(set) var ambiguity: (name: String, isHere: Bool, candidates: [String])?

  /// - Complexity: O(members + former names).
  init<Member: SchemaMember>(_ mine: [Member], _ theirs: [Member]) {
    let indices = Self.indices(of: theirs)
    partners = mine.map { indices[$0.name] }
    let known = Set(mine.map(\.name))
    others = theirs.indices.filter { !known.contains(theirs[$0].name) }
    let hasFormerNames = mine.contains { !$0.formerNames.isEmpty } || theirs.contains { !$0.formerNames.isEmpty }
    if hasFormerNames { correspond(mine, theirs, indices) }
  }

  private mutating func correspond<Member: SchemaMember>(
    _ mine: [Member], _ theirs: [Member], _ indices: [String: Int]
  ) {
    let free = Set(others)
    let own = Self.indices(of: mine)
    var candidates: [Int: Set<Int>] = [:]
    for index in mine.indices where partners[index] == nil {
      for name in mine[index].formerNames {
        if let other = indices[name], free.contains(other) { candidates[index, default: []].insert(other) }
      }
    }
    for other in others {
      for name in theirs[other].formerNames {
        if let index = own[name], partners[index] == nil { candidates[index, default: []].insert(other) }
      }
    }
    var claims: [Int: [Int]] = [:]
    for (index, found) in candidates { for other in found { claims[other, default: []].append(index) } }
    for index in mine.indices {
      guard let found = candidates[index] else { continue }
      if found.count > 1 {
        ambiguity = ambiguity ?? (mine[index].name, true, found.sorted().map { theirs[$0].name })
      } else if let other = found.first, let claimants = claims[other] {
        if claimants.count > 1 {
          ambiguity = ambiguity ?? (theirs[other].name, false, claimants.sorted().map { mine[$0].name })
        } else {
          partners[index] = other
        }
      }
    }
    let taken = Set(partners.compactMap(\.self))
    others.removeAll { taken.contains($0) }
  }

  private static func indices<Member: SchemaMember>(of members: [Member]) -> [String: Int] {
    Dictionary(members.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
  }
}
