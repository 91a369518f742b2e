// Features with one shared, stored collection: a list, a detail on its stack, and a form and an alert in the detail.
import ComposableArchitecture
import Foundation

struct Sailor: Codable, Equatable, Identifiable {
  let id: UUID
  var name = ""
}

struct Voyage: Codable, Equatable, Identifiable {
  let id: UUID
  var crew: IdentifiedArrayOf<Sailor> = []
  var harbour = ""
  var watch: Duration = .seconds(60)
}

extension SharedReaderKey where Self == FileStorageKey<IdentifiedArrayOf<Voyage>>.Default {
  static var voyages: Self {
    Self[.fileStorage(.documentsDirectory.appending(component: "voyages.json")), default: []]
  }
}

@Reducer
struct VoyageForm {
  @ObservableState
  struct State: Equatable {
    var focus: Field?
    var voyage: Voyage

    init(focus: Field? = .harbour, voyage: Voyage) {
      self.focus = focus
      self.voyage = voyage
      if self.voyage.crew.isEmpty {
        @Dependency(\.uuid) var uuid
        self.voyage.crew.append(Sailor(id: uuid()))
      }
    }

    enum Field: Hashable {
      case harbour
      case sailor(Sailor.ID)
    }
  }

  enum Action: BindableAction, Equatable {
    case binding(BindingAction<State>)
    case hireButtonTapped
    case onDelete(IndexSet)
  }

  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding(\.voyage.harbour):
        state.voyage.harbour = state.voyage.harbour.capitalized
        return .none

      case .binding:
        return .none

      case .hireButtonTapped:
        let sailor = Sailor(id: uuid())
        state.voyage.crew.append(sailor)
        state.focus = .sailor(sailor.id)
        return .none

      case let .onDelete(offsets):
        state.voyage.crew.remove(atOffsets: offsets)
        if state.voyage.crew.isEmpty {
          state.voyage.crew.append(Sailor(id: uuid()))
        }
        state.focus = state.voyage.crew.last.map { .sailor($0.id) }
        return .none
      }
    }
  }
}

@Reducer
struct VoyageDetail {
  @Reducer
  enum Destination {
    case alert(AlertState<Alert>)
    case edit(VoyageForm)

    @CasePathable
    enum Alert {
      case confirmScuttling
      case sailWithoutLog
    }
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    @Shared var voyage: Voyage
  }

  enum Action {
    case delegate(Delegate)
    case destination(PresentationAction<Destination.Action>)
    case doneButtonTapped
    case editButtonTapped
    case scuttleButtonTapped

    @CasePathable
    enum Delegate {
      case sail(Shared<Voyage>)
    }
  }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .delegate:
        return .none

      case .destination(.presented(.alert(.confirmScuttling))):
        @Shared(.voyages) var voyages
        // The change of the collection reads the share of one of its elements.
        $voyages.withLock { _ = $0.remove(id: state.voyage.id) }
        return .run { _ in await dismiss(animation: .default) }

      case .destination(.presented(.alert(.sailWithoutLog))):
        return .send(.delegate(.sail(state.$voyage)))

      case .destination:
        return .none

      case .doneButtonTapped:
        guard case let .some(.edit(form)) = state.destination else { return .none }
        state.$voyage.withLock { $0 = form.voyage }
        state.destination = nil
        return .none

      case .editButtonTapped:
        state.destination = .edit(VoyageForm.State(voyage: state.voyage))
        return .none

      case .scuttleButtonTapped:
        state.destination = .alert(.scuttle)
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
  }
}

extension VoyageDetail.Destination.State: Equatable {}

extension AlertState where Action == VoyageDetail.Destination.Alert {
  static let scuttle = Self {
    TextState("Scuttle?")
  } actions: {
    ButtonState(role: .destructive, action: .confirmScuttling) { TextState("Yes") }
    ButtonState(action: .sailWithoutLog) { TextState("Sail instead") }
    ButtonState(role: .cancel) { TextState("No") }
  } message: {
    TextState("She will not come up again.")
  }
}

@Reducer
struct Fleet {
  @Reducer
  enum Path {
    case detail(VoyageDetail)
  }

  @ObservableState
  struct State: Equatable {
    var path = StackState<Path.State>()
    @Shared(.voyages) var voyages
    @SharedReader(.appStorage("flag")) var flag: String?
  }

  enum Action {
    case onDelete(IndexSet)
    case path(StackActionOf<Path>)
    case tapped(id: Voyage.ID)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case let .onDelete(offsets):
        state.$voyages.withLock { $0.remove(atOffsets: offsets) }
        return .none

      case .path:
        return .none

      case let .tapped(id):
        guard let voyage = Shared(state.$voyages[id: id]) else { return .none }
        state.path.append(.detail(VoyageDetail.State(voyage: voyage)))
        return .none
      }
    }
    .forEach(\.path, action: \.path)
  }
}

extension Fleet.Path.State: Equatable {}
