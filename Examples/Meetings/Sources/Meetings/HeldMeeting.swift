import ComposableArchitecture
import ReplicatedFoundation

/// A meeting that is being held: a timer for each topic of the agenda, and the transcript of what is said.
@Reducer
public struct HeldMeeting: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    @Presents public var alert: AlertState<Action.Alert>?
    public var meeting: Meeting
    public var secondsElapsed = 0
    public var topicIndex = 0
    public var transcript = ""

    public init(
      alert: AlertState<Action.Alert>? = nil,
      meeting: Meeting,
      secondsElapsed: Int = 0,
      topicIndex: Int = 0,
      transcript: String = ""
    ) {
      self.alert = alert
      self.meeting = meeting
      self.secondsElapsed = secondsElapsed
      self.topicIndex = topicIndex
      self.transcript = transcript
    }

    public var secondsOfTopic: Int { (topic?.minutes ?? 0) * 60 }
    public var topic: Topic? { topicIndex < meeting.agenda.count ? meeting.agenda[topicIndex] : nil }
  }

  @Replicated
  public enum Action: Sendable {
    case alert(PresentationAction<Alert>)
    case delegate(Delegate)
    case dictationResult(Result<String, any Error>)
    case endButtonTapped
    case nextButtonTapped
    case onTask
    case timerTicked

    @CasePathable @Replicated
    public enum Alert: Sendable {
      case confirmDiscard
      case confirmSave
    }

    @CasePathable @Replicated
    public enum Delegate: Sendable {
      case saveMeeting(Meeting)
    }
  }

  private enum CancelID { case meeting }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.date.now) var now
  @Dependency(\.dictation) var dictation
  @Dependency(\.dismiss) var dismiss
  @Dependency(\.gong) var gong
  @Dependency(\.uuid) var uuid

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .alert(.presented(.confirmDiscard)):
        return .run { _ in await dismiss() }

      case .alert(.presented(.confirmSave)):
        return save(&state)

      case .alert:
        return .none

      case .delegate:
        return .none

      case .dictationResult(.success(let text)):
        state.transcript = text
        return .none

      case .dictationResult(.failure):
        if !state.transcript.isEmpty { state.transcript += " …" }
        state.alert = .dictationFailed
        return .none

      case .endButtonTapped:
        state.alert = .end
        return .none

      case .nextButtonTapped:
        guard state.topicIndex < state.meeting.agenda.count - 1 else {
          state.alert = .end
          return .none
        }
        return next(&state)

      case .onTask:
        return .run { send in
          let isAuthorized = await dictation.authorize()
          await withTaskGroup(of: Void.self) { group in
            group.addTask { await tick(send) }
            if isAuthorized {
              group.addTask { await dictate(send) }
            }
          }
        }
        .cancellable(id: CancelID.meeting, cancelInFlight: true)
        .restart(with: .onTask)

      case .timerTicked:
        guard state.alert == nil else { return .none }
        state.secondsElapsed += 1
        guard state.secondsElapsed >= state.secondsOfTopic else { return .none }
        guard state.topicIndex < state.meeting.agenda.count - 1 else { return save(&state) }
        return next(&state)
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }

  private func next(_ state: inout State) -> Effect<Action> {
    state.topicIndex += 1
    state.secondsElapsed = 0
    return .run { _ in await gong.strike() }
  }

  private func save(_ state: inout State) -> Effect<Action> {
    let record = Record(id: uuid(), date: now, transcript: state.transcript)
    state.meeting.records.insert(record, at: 0)
    return .run { [meeting = state.meeting] send in
      await send(.delegate(.saveMeeting(meeting)))
      await dismiss()
    }
  }

  private func tick(_ send: Send<Action>) async {
    for await _ in clock.timer(interval: .seconds(1)) {
      await send(.timerTicked)
    }
  }

  private func dictate(_ send: Send<Action>) async {
    do {
      for try await text in dictation.transcripts() {
        await send(.dictationResult(.success(text)))
      }
    } catch {
      await send(.dictationResult(.failure(error)))
    }
  }
}

extension AlertState where Action == HeldMeeting.Action.Alert {
  static let end = Self {
    TextState("End the meeting?")
  } actions: {
    ButtonState(action: .confirmSave) { TextState("Save and end") }
    ButtonState(role: .destructive, action: .confirmDiscard) { TextState("Discard") }
    ButtonState(role: .cancel) { TextState("Resume") }
  }

  static let dictationFailed = Self {
    TextState("Dictation has stopped")
  } actions: {
    ButtonState(role: .cancel) { TextState("Continue") }
    ButtonState(role: .destructive, action: .confirmDiscard) { TextState("Discard") }
  } message: {
    TextState("The meeting goes on, and the rest of it is not transcribed.")
  }
}
