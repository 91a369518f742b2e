public import ComposableArchitecture
public import IdentifiedCollections
import TestSupport
public import Wire

/// A feature whose actions put values into its state that a hub may not be able to read back.
public struct Hostile: Reducer, Sendable {
  /// An element that contains elements of its own type.
  @Replicated
  public struct Reply: Equatable, Identifiable, Sendable {
    public let id: Int
    public var replies: IdentifiedArrayOf<Reply> = []

    public init(id: Int) { self.id = id }
  }

  /// A struct that contains itself in three collections.
  @Replicated
  public struct Folder: Equatable, Sendable {
    public var name = ""
    public var folders: [Folder] = []
    public var byName: [String: Folder] = [:]
    public var inside: [[Folder]?] = []

    public init() {}
  }

  /// An enum that contains itself.
  @Replicated
  public indirect enum Chain: Equatable, Sendable {
    case end
    case link(Double, Chain?)
  }

  @Replicated
  public struct State: Equatable, Sendable {
    public var doubles = HostilePositions<Double>()
    public var floats = HostilePositions<Float>()
    public var texts = HostilePositions<String>()
    public var integers = HostilePositions<Int64>()
    public var naturals = HostilePositions<UInt64>()
    public var wide = HostilePositions<Int128>()
    public var dates = HostilePositions<Date>()
    public var data = HostilePositions<Data>()
    public var optionals = HostilePositions<Double??>()
    public var lists = HostilePositions<[String]>()
    public var labels = HostilePositions<HostileLabel>()
    public var measures = HostilePositions<HostileMeasure>()
    public var replies: IdentifiedArrayOf<Reply> = []
    public var folder = Folder()
    public var chain = Chain.end

    public init() {}
  }

  @Replicated
  public enum Action: Equatable, Sendable {
    /// Makes the changes that the number determines.
    case change(UInt64)
    /// Adds a reply below the first of the first of … of the replies.
    case reply(id: Int)
    /// Replaces everything that contains itself.
    case shallow
    /// Adds a key and a member.
    case insert(Double)
    case rename(String)
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .change(let seed):
        var random = SplitMix(seed: seed)
        for _ in 0...random.below(3) { state.change(using: &random) }
      case .reply(let id): state.replies.addDeepest(Reply(id: id))
      case .shallow: (state.replies, state.folder, state.chain) = ([], Folder(), .end)
      case .insert(let value):
        state.doubles.byKey[value] = 1
        state.doubles.members.insert(value)
      case .rename(let name): state.texts.field = name
      }
      return .none
    }
  }
}

extension Hostile.State {
  fileprivate mutating func change(using random: inout SplitMix) {
    switch random.below(18) {
    case 0: doubles.change(using: &random)
    case 1: floats.change(using: &random)
    case 2, 3: texts.change(using: &random)
    case 4: integers.change(using: &random)
    case 5: naturals.change(using: &random)
    case 6: wide.change(using: &random)
    case 7: dates.change(using: &random)
    case 8: data.change(using: &random)
    case 9: optionals.change(using: &random)
    case 10: lists.change(using: &random)
    case 11, 12: labels.change(using: &random)
    case 13: measures.change(using: &random)
    case 14: for id in 0..<random.pick([1, 5, 20, 64]) { replies.addDeepest(Hostile.Reply(id: id)) }
    case 15: folder = folder.nested(random.pick([1, 2, 7, 31]), using: &random)
    case 16: for _ in 0..<random.pick([1, 5, 60, 65]) { chain = .link(.hostile(using: &random), chain) }
    default:
      if random.below(3) == 0 { (replies, folder, chain) = ([], Hostile.Folder(), .end) }
    }
  }
}

extension IdentifiedArray where Element == Hostile.Reply, ID == Int {
  /// Adds an element below the first element of each depth.
  fileprivate mutating func addDeepest(_ reply: Hostile.Reply) {
    if isEmpty { append(reply) } else { self[0].replies.addDeepest(reply) }
  }
}

extension Hostile.Folder {
  /// Returns this folder at a depth below another one.
  fileprivate func nested(_ depth: Int, using random: inout SplitMix) -> Self {
    (0..<depth).reduce(self) { inner, _ in
      var outer = Hostile.Folder()
      switch random.below(3) {
      case 0: outer.folders = [inner]
      case 1: outer.byName = [.hostile(using: &random): inner]
      default: outer.inside = [nil, [inner]]
      }
      return outer
    }
  }
}
