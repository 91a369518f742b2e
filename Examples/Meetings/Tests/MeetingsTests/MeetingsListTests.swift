import ComposableTesting
import Testing

@testable import Meetings

@MainActor
@Suite struct MeetingsListTests {
  @Test func aMeetingIsAdded() async {
    let store = TestStore(initialState: MeetingsList.State()) {
      MeetingsList()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    var meeting = Meeting(id: UUID(0))
    await store.send(.addButtonTapped) { $0.draft = MeetingForm.State(meeting: meeting) }

    meeting.title = "Design"
    await store.send(\.draft.binding.meeting, meeting) { $0.draft?.meeting.title = "Design" }
    await store.send(\.draft.addMemberButtonTapped) {
      $0.draft?.meeting.members = [Member(id: UUID(1))]
      $0.draft?.focus = .member(UUID(1))
    }
    await store.send(\.draft.addTopicButtonTapped) {
      $0.draft?.meeting.agenda = [Topic(id: UUID(2))]
      $0.draft?.focus = .topic(UUID(2))
    }
    await store.send(\.draft.topicMinutesChanged, (UUID(2), 0)) {
      $0.draft?.meeting.agenda[id: UUID(2)]?.minutes = 1
    }
    meeting.agenda = [Topic(id: UUID(2), minutes: 1)]
    // The member has no name.
    await store.send(.saveButtonTapped) { [meeting] in
      $0.draft = nil
      $0.meetings = [meeting]
    }
  }

  @Test func meetingsAreDeleted() async {
    var state = MeetingsList.State()
    state.meetings = [Meeting(id: UUID(0)), Meeting(id: UUID(1))]
    let store = TestStore(initialState: state) { MeetingsList() }
    await store.send(.deleteMeetings([UUID(0)])) { $0.meetings = [Meeting(id: UUID(1))] }
  }

  @Test func theLastItemOfTheFormTakesTheFocus() async {
    var meeting = Meeting(id: UUID(0))
    meeting.agenda = [Topic(id: UUID(1)), Topic(id: UUID(2))]
    let store = TestStore(initialState: MeetingForm.State(meeting: meeting)) { MeetingForm() }
    await store.send(.deleteTopics([UUID(2)])) {
      $0.meeting.agenda = [Topic(id: UUID(1))]
      $0.focus = .topic(UUID(1))
    }
    await store.send(.deleteTopics([UUID(1)])) {
      $0.meeting.agenda = []
      $0.focus = .title
    }
  }
}
