public import IdentifiedCollections
public import Wire

/// A state with every kind of part, so that every decoder is reached.
@Replicated
public struct Specimen: Equatable, Sendable {
  public var flag = false
  public var small: Int8 = 0
  public var wide: Int128 = 0
  public var unsigned: UInt64 = 0
  public var float: Float = 0
  public var double = 0.0
  public var text = ""
  public var letter: Character = "a"
  public var scalar: Unicode.Scalar = "a"
  public var duration = Duration.zero
  public var range = 0..<1
  public var maybe: Int??
  public var numbers: [Int] = []
  public var lists: [[String]] = []
  public var words: Set<String> = []
  public var reals: Set<Double> = []
  public var byName: [String: Part] = [:]
  public var byReal: [Double: [Int]] = [:]
  public var parts: IdentifiedArrayOf<Part> = []
  public var measures: IdentifiedArrayOf<Measure> = []
  public var outcome: Result<Part, Refusal> = .failure(.never)
  public var kind = Kind.plain
  public var tree = Tree.leaf
  public var root: Branch?

  public init() {}
}

/// An element identified by a text, with several equal ones.
@Replicated
public struct Part: Equatable, Identifiable, Sendable {
  public let id: String
  public var count = 0
  @ReplicatedKey(7) public var note: String?

  public init(id: String) { self.id = id }

  /// True for those of a view.
  var isEven: Bool { count.isMultiple(of: 2) }
}

/// An element identified by a number that may not equal itself.
@Replicated
public struct Measure: Equatable, Identifiable, Sendable {
  public var id: Double
  public var value: Int?

  public init(id: Double) { self.id = id }
}

@Replicated
public enum Refusal: Error, Equatable {
  case never
  case because(String)
}

@Replicated
public enum Kind: Equatable, Sendable {
  case plain
  case numbered(Int)
  @ReplicatedKey(9) case paired(Part, first: [Int])
}

/// A type that contains itself through an indirect enum.
@Replicated
public indirect enum Tree: Equatable, Sendable {
  case leaf
  case node(Tree, Tree)
  case tagged(String, Tree?)
}

/// A type that contains itself through collections.
@Replicated
public struct Branch: Equatable, Identifiable, Sendable {
  public let id: Int
  public var branches: IdentifiedArrayOf<Branch> = []
  public var byName: [String: Branch] = [:]
  public var others: [Branch] = []

  public init(id: Int) { self.id = id }
}

extension Specimen {
  /// Throws if an invariant is violated.
  func check() throws {
    if let violation = parts.checkInvariants() { throw BrokenPromise("parts: \(violation)") }
    if let violation = measures.checkInvariants() { throw BrokenPromise("measures: \(violation)") }
    if let violation = root?.branches.checkInvariants() { throw BrokenPromise("branches: \(violation)") }
  }
}
