public import ComposableArchitecture
internal import HubCore
public import IdentifiedCollections
public import Wire

/// A feature whose clients can set any value anywhere.
public struct SpecimenFeature: Reducer, Sendable {
  public typealias State = Specimen

  @Replicated
  public enum Action: Equatable, Sendable {
    case replace(Specimen)
    case setText(String)
    case setNumbers([Int])
    case setReals(Set<Double>)
    case setByReal([Double: [Int]])
    case setParts(IdentifiedArrayOf<Part>)
    case setMeasures(IdentifiedArrayOf<Measure>)
    case setTree(Tree)
    case setRoot(Branch?)
    case count(String)
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .replace(let specimen): state = specimen
      case .setText(let text): state.text = text
      case .setNumbers(let numbers): state.numbers = numbers
      case .setReals(let reals): state.reals = reals
      case .setByReal(let byReal): state.byReal = byReal
      case .setParts(let parts): state.parts = parts
      case .setMeasures(let measures): state.measures = measures
      case .setTree(let tree): state.tree = tree
      case .setRoot(let root): state.root = root
      case .count(let id): state.parts[id: id]?.count &+= 1
      }
      return .none
    }
  }
}

typealias SpecimenAction = SpecimenFeature.Action

extension Specimen {
  /// Paths to windows of every kind of collection that has them, and some to places that have none.
  static var windows: [[PathStep]] {
    let path = StatePath<Specimen, Specimen>()
    return [
      path.parts[window: 0..<2].steps, path.parts[window: 1..<3].steps, path.parts[last: 2].steps,
      path.numbers[window: 0..<3].steps, path.numbers[last: 1].steps, path.measures[window: 2..<9].steps,
      path.root.branches[window: 0..<1].steps, path.words.steps + [.window(start: 0, count: 1)],
      path.parts[window: 0..<2].steps + [2], path.lists[window: 0..<65_536].steps,
    ]
  }

  /// Views of every kind.
  static var views: StateViews<Specimen> {
    StateViews {
      StateView("total", of: \.numbers, total)
      StateView("even", Elements(\.parts).filter(\.isEven))
      StateView("byCount", Elements(\.parts).sorted(by: \.count))
      StateView("counts", Elements(\.parts).grouped(by: \.count))
      StateView("first", parameter: Int.self) { Elements(\.parts).window(0, $0) }
      StateView("longer", of: \.parts, parameter: Int.self) { parts, length in
        parts.filter { $0.id.utf8.count > length }
      }
      StateView("own", of: \.text, for: SystemUser.self) { text, user in "\(user.id) \(text)" }
      StateView("kind", of: \.kind) { $0 }
      StateView("byName") { $0.byName }
    }
  }

  static func total(_ numbers: [Int]) -> Int { numbers.reduce(0, &+) }

  /// Paths to views and within them, and some to places that do not exist.
  static var placesInViews: [[PathStep]] {
    let (name, one, two) = (PathStep.id("a".encoded()), PathStep.id(1.encoded()), PathStep.id(2.encoded()))
    let window = PathStep.window(start: 1, count: 2)
    return [
      [0], [1], [1, name], [1, window], [2], [2, .window(start: -1, count: 1)], [2, name, 1], [3], [3, one],
      [3, window],
      [4, one], [4, two], [4, name], [4, two, window], [5, one], [5, two, name], [5], [6],
      [7], [7, 1], [7, 9, 0], [7, 9, 1], [8], [8, name], [8, name, 1], [], [9], [0, 0],
    ]
  }

  /// Paths to places of every kind, and some to places that do not exist.
  static var paths: [[PathStep]] {
    let (name, one) = (PathStep.id("a".encoded()), PathStep.id(1.encoded()))
    return [
      [], [0], [6],
      [11], [11, 0, 0], [12], [18], [18, name], [18, name, 1], [18, name, 7, 0], [19, .id(1.5.encoded())],
      [20, 0],
      [20, 1], [21, 1], [21, 9, 0, 1], [21, 9, 1], [22, 1, 0], [22, 2, 1, 0, 1], [23], [23, 0, 0], [23, 0, 1, one],
      [23, 0, 1, one, 1, one, 0], [18, one], [17, 0], [18, 0], [64],
    ]
  }
}
