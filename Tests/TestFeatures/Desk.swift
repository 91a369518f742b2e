public import ComposableArchitecture
import ReplicatedArchitecture
public import Wire

/// A shop that presents an item, a destination, or both, for tests of clients that know only its schema.
@Reducer
public struct Desk: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var shop = Shop.State()
    public var isOpen = false

    public init() {}
  }

  @CasePathable @Replicated
  public enum Action: Equatable, Sendable {
    case shop(Shop.Action)
    case openButtonTapped
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Scope(state: \.shop, action: \.shop) { Shop() }
    Reduce { state, action in
      if case .openButtonTapped = action { state.isOpen.toggle() }
      return .none
    }
  }
}

@Reducer
public struct Shop: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var name = "corner"
    @Presents public var editItem: EditItem.State?
    @Presents public var destination: Destination.State?

    public init() {}
  }

  @Replicated
  public enum Action: Equatable, Sendable {
    case editItem(PresentationAction<EditItem.Action>)
    case destination(PresentationAction<Destination.Action>)
    case editButtonTapped(Int)
  }

  @Reducer(state: .equatable, .sendable, action: .equatable, .sendable)
  @Replicated
  public enum Destination {
    case question(AlertState<Answer>)
    case printLabel(PrintLabel)
  }

  @CasePathable @Replicated
  public enum Answer: Equatable, Sendable { case closeConfirmed }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .editButtonTapped(let id) = action { state.editItem = EditItem.State(id: id) }
      return .none
    }
    .ifLet(\.$editItem, action: \.editItem) { EditItem() }
    .ifLet(\.$destination, action: \.destination)
  }
}

/// The sheet of an item.
@Reducer
public struct EditItem: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Identifiable, Sendable {
    public let id: Int
    public var name = "cup"
    public var sizes: [Int: String] = [1: "small", 2: "large"]
    /// A sheet over the sheet.
    @Presents public var label: PrintLabel.State?

    public init(id: Int) { self.id = id }
  }

  @Replicated
  public enum Action: Equatable, Sendable {
    case nameChanged(String)
    case saveButtonTapped
    case label(PresentationAction<PrintLabel.Action>)
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .nameChanged(let name) = action { state.name = name }
      return .none
    }
    .ifLet(\.$label, action: \.label) { PrintLabel() }
  }
}

/// A sheet without an id.
@Reducer
public struct PrintLabel: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var copies = 1

    public init() {}
  }

  @Replicated
  public enum Action: Equatable, Sendable { case printButtonTapped }

  public init() {}

  public var body: some ReducerOf<Self> { EmptyReducer() }
}
