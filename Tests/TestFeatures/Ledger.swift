public import ComposableArchitecture
public import Wire

// Versions of a feature, for tests of upgrades, and clients that use less of it.

/// The first version, which keeps its total as a text.
@Replicated
public struct Ledger1: LedgerState {
  public var total = "0"
  public var entries: [String] = []
  public var note = ""

  public init() {}

  public mutating func count() { total = "\(entries.count)" }

  /// The schema with which this version writes its journal.
  public static let schema = Schema(state: Ledger1.self, action: LedgerAction.self)
}

/// The second version, which keeps its total as a number.
@Replicated
public struct Ledger2: LedgerState {
  public var total = 0
  public var entries: [String] = []
  public var note = ""
  /// The number of migrations that the state has passed.
  public var migrations = 0

  public init() {}

  public mutating func count() { total += 1 }
}

/// The third version, with one more field.
@Replicated
public struct Ledger3: LedgerState {
  public var currency = "EUR"
  public var total = 0
  public var entries: [String] = []
  public var note = ""
  public var migrations = 0

  public init() {}

  public mutating func count() { total += 1 }
}

/// The state of a client that uses only what all versions have.
@Replicated
public struct Notepad: Equatable, Sendable {
  public var entries: [String] = []
  public var note = ""

  public init() {}
}

/// The actions of all versions.
@Replicated
public enum LedgerAction: Equatable, Sendable {
  case booked(String)
  case noted(String)
}

/// The state of a version.
public protocol LedgerState: Equatable, Sendable {
  var entries: [String] { get set }
  var note: String { get set }

  /// Counts the last entry.
  mutating func count()
}

/// The feature, in any version.
public struct Ledger<State: LedgerState>: Reducer, Sendable {
  public init() {}

  public var body: some Reducer<State, LedgerAction> {
    Reduce { state, action in
      switch action {
      case .booked(let text):
        state.entries.append(text)
        state.count()
      case .noted(let text): state.note = text
      }
      return .none
    }
  }
}
