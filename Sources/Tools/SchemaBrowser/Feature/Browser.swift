package import ComposableCore
internal import SchemaNames
package import Wire

/// A terminal for any hub: what it shows, and what its user can do, by the hub's schema alone.
///
/// The program gives it the parts of `State.scopes` and the time; the views show `State.content` and send what the user
/// does. Actions for the hub go to `BrowserHub`.
@Reducer
package struct Browser: Sendable {
  /// What a terminal shows.
  @ObservableState
  package struct State: Equatable, Sendable {
    package var configuration: BrowserConfiguration
    /// The hub; nil before the first connection.
    package var hub: HubDescription?
    package var tabs: [BrowserTab] = []
    package var tabIndex = 0
    /// The pages of each tab, the open one last.
    package var stacks: [BrowserTab.ID: [Page]] = [:]
    /// The received parts by their paths.
    package var parts: [String: ReceivedPart] = [:]
    /// The parts that the hub has refused to this user, with its reasons; without one, the user may not read them.
    package var refusedParts: [String: String?] = [:]
    /// The parts that exceed a limit of the hub, with its reasons. They stay among the `scopes`: the link asks for them
    /// again when it no longer needs another part.
    package var partsWithoutRoom: [String: String] = [:]
    /// The names of the actions that the hub has refused to this user.
    package var refusedActions: Set<String> = []
    /// A state of the past, which is shown in place of the present one.
    package var past: PastState?
    package var overlay: Overlay?
    package private(set) var notice: Notice?
    /// The number of notices so far: the next one may say the same, and is shown again.
    package private(set) var noticeCount = 0
    /// The presented parts whose sheets this user has hidden, by their paths.
    var hiddenPresentations: [String: Presentation.ID] = [:]
    /// The name of the action that is chosen in the sheet of a presented part; nil for the first one.
    var presentationChoice: ActionEntry.ID?
    /// The last ten actions, the latest first.
    package var recent: [SentAction] = []
    /// The actions that the hub has not answered, by their numbers.
    package var pending: [Int: SentAction] = [:]
    package var lastNumber = 0
    package var link = BrowserLink.connecting
    package var figures = HubFigures()
    /// The bytes that have been received of parts that are not complete yet.
    package var loadedByteCount = 0
    /// The logged actions, oldest first.
    package var activity: [ActivityLine] = []
    /// What the program must do.
    package var intent: Intent?
    /// The time until which nothing is sent, because the screen changed under the user's hands.
    package var quietUntil = Duration.zero
    package var now = Duration.zero
    /// Milliseconds since 1970.
    package var wallTime: Int64 = 0

    package init(_ configuration: BrowserConfiguration = BrowserConfiguration()) { self.configuration = configuration }

    mutating func say(_ text: String, isBad: Bool = false) {
      notice = Notice(text, isBad: isBad)
      noticeCount += 1
    }
  }

  /// What the program must do for the browser.
  package enum Intent: Equatable, Sendable {
    /// Show the state so many steps after the shown one, which may be negative; nil for the present one.
    case showPast(Int?)
    /// Show the details of a logged action.
    case showActivity(String)
  }

  /// What happens to a browser.
  @CasePathable
  package enum Action: Sendable {
    /// The configuration was read, before the first connection.
    case configured(BrowserConfiguration)
    /// The hub's schema is known.
    case connected(HubDescription)
    case linkChanged(BrowserLink)
    /// A part has arrived or changed.
    case received(path: String, ReceivedPart)
    /// A subscription has ended.
    case released(path: String)
    /// The hub has refused a part to this user; without a reason, for lack of rights.
    case refused(path: String, reason: String? = nil)
    /// A part exceeds a limit of the hub, and waits until another one is released.
    case foundNoRoom(path: String, reason: String)
    /// The size of what has been received of incomplete parts has changed.
    case loaded(byteCount: Int)
    case figuresChanged(HubFigures)
    case activityChanged([ActivityLine])
    /// A state of the past was read; nil for the present.
    case pastShown(PastState?)
    case timePassed(now: Duration, wallTime: Int64)
    /// The outcome of an action is known.
    case answered(number: Int, Refusal?)
    case said(Notice)
    /// A text to read was found.
    case found(title: String, lines: [String])
    /// The program has done what the intent says.
    case intentDone

    // The user.
    case tabOpened(Int)
    case rowSelected(String?)
    case rowOpened(String)
    /// The screen shows these rows of a table.
    case rowsShown(Range<Int>)
    case searchTapped
    case upTapped
    case escapeTapped
    case columnsScrolled(Int)
    case sortTapped, sortReversed
    case filterTapped, filterChanged(String), filterEnded(isKept: Bool)
    case excludeTapped
    case pathTapped, pathChanged(String), pathCompleted, pathEntered
    case pastTapped(Int)
    case overlayClosed
    case paletteTapped, paletteChanged(String), paletteMoved(Int), paletteEntered, actionChosen(Palette.Choice)
    case boundKeyTapped(Character)
    case repeatTapped, recentTapped, recentChosen(Int)
    case formChanged(place: [Int], FieldChange), formCompleted(place: [Int]), formSubmitted
    case editTapped, insertTapped, removeTapped, removalConfirmed
    /// A button of the prompt was pressed; nil to dismiss it.
    case promptAnswered(Int?)
    /// The sheet of what is presented: the cursor is on an action, or it is taken.
    case presentedActionSelected(ActionEntry.ID?), presentedActionTaken(ActionEntry.ID)
    case presentedPartOpened, presentationHidden, presentationDismissed
  }

  @Dependency(\.browserHub) var hub

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      let (prompt, presentation) = (state.visiblePrompt, state.visiblePresentation?.id)
      let outgoing = state.take(action)
      state.forgetHiddenPresentations()
      if state.visiblePrompt != prompt { state.keepQuiet() }
      if state.visiblePresentation?.id != presentation { state.presentationChanged() }
      state.selectFirstRow()
      guard let outgoing else { return .none }
      return .run { [hub] send in
        do {
          try await hub.send(outgoing.action)
          await send(.answered(number: outgoing.number, nil))
        } catch {
          await send(.answered(number: outgoing.number, Refusal(error)))
        }
      }
    }
  }
}

extension Browser.State {
  /// Handles an action; returns what it sends to the hub, if anything.
  fileprivate mutating func take(_ action: Browser.Action) -> Outgoing? {
    switch action {
    case .configured(let configuration): self.configuration = configuration
    case .connected(let hub): connected(hub)
    case .linkChanged(let link): linkChanged(link)
    case .received(let path, let part): received(part, at: path)
    case .released(let path): released(path)
    case .refused(let path, let reason): refused(path, reason)
    case .foundNoRoom(let path, let reason): foundNoRoom(path, reason)
    case .loaded(let byteCount): loadedByteCount = byteCount
    case .figuresChanged(let figures): self.figures = figures
    case .activityChanged(let lines): activity = lines
    case .pastShown(let past): show(past)
    case .timePassed(let now, let wallTime): (self.now, self.wallTime) = (now, wallTime)
    case .answered(let number, let refusal): answered(number, refusal)
    case .said(let notice): say(notice.text, isBad: notice.isBad)
    case .found(let title, let lines): overlay = .reading(title: title, lines: lines)
    case .intentDone: intent = nil

    case .tabOpened(let index): open(tab: index)
    case .rowSelected(let name): change { $0.selected = name }
    case .rowOpened(let name): open(row: name)
    case .rowsShown(let rows): show(rows: rows)
    case .searchTapped: beginSearch()
    case .upTapped: goUp()
    case .escapeTapped: escape()
    case .columnsScrolled(let offset): scrollColumns(by: offset)
    case .sortTapped: sortByNextColumn()
    case .sortReversed:
      change { $0.order.sort?.isDescending.toggle() }
      reorder()
    case .filterTapped: beginFilter()
    case .filterChanged(let text): filterChanged(text)
    case .filterEnded(let isKept):
      if case .filter(_, let before)? = overlay, !isKept { setFilter(before) }
      overlay = nil
    case .excludeTapped: exclude()
    case .pathTapped: overlay = .path(PathEntry(selectedPath ?? page?.path ?? ""))
    case .pathChanged(let text): overlay = .path(PathEntry(text))
    case .pathCompleted: completePath()
    case .pathEntered: pathEntered()
    case .pastTapped(let steps): if past != nil || steps < 0 { intent = .showPast(steps) }
    case .overlayClosed: overlay = nil
    case .paletteTapped: overlay = .palette(Palette(choices))
    case .paletteChanged(let query):
      guard case .palette(var palette)? = overlay else { break }
      (palette.query, palette.index) = (query, 0)
      overlay = .palette(palette)
    case .paletteMoved(let offset):
      guard case .palette(var palette)? = overlay else { break }
      palette.index = min(max(palette.index + offset, 0), max(palette.matches.count - 1, 0))
      overlay = .palette(palette)
    case .paletteEntered:
      guard case .palette(let palette)? = overlay, palette.matches.indices.contains(palette.index) else { break }
      return begin(palette.matches[palette.index])
    case .actionChosen(let choice): return begin(choice)
    case .boundKeyTapped(let key): return bound(key)
    case .repeatTapped: return repeatLast()
    case .recentTapped: if !recent.isEmpty { overlay = .recent }
    case .recentChosen(let index): return repeatRecent(index)
    case .formChanged(let place, let change): self.change(place, change)
    case .formCompleted(let place): completeField(place)
    case .formSubmitted: return submitForm()
    case .editTapped: edit()
    case .insertTapped: insert()
    case .removeTapped: remove()
    case .removalConfirmed: if case .confirmation(let draft)? = overlay { return begin(draft) }
    case .promptAnswered(let index): return answerPrompt(index)
    case .presentedActionSelected(let name): presentationChoice = name
    case .presentedActionTaken(let name): return takePresentedAction(name)
    case .presentedPartOpened: openPresentedPart()
    case .presentationHidden: hidePresentation()
    case .presentationDismissed: return dismissPresentation()
    }
    return nil
  }

  private mutating func filterChanged(_ text: String) {
    guard case .filter(_, let before)? = overlay else { return }
    setFilter(text)
    overlay = .filter(text, before: before)
  }

  private mutating func pathEntered() {
    guard case .path(var entry)? = overlay else { return }
    overlay = nil
    guard let reason = go(to: entry.text) else { return }
    entry.error = reason
    overlay = .path(entry)
  }
}

/// An action on its way to the hub.
struct Outgoing {
  let number: Int
  let action: CBORValue
}

/// The reason why an action did not, or may not, take effect.
package struct Refusal: Equatable, Sendable {
  package let reason: String
  /// True if this user lacks the right to send it.
  package let isForLackOfRights: Bool

  package init(_ reason: String, isForLackOfRights: Bool = false) {
    (self.reason, self.isForLackOfRights) = (reason, isForLackOfRights)
  }
}

/// The state of the connection, as far as keys depend on it.
package enum BrowserLink: Equatable, Sendable {
  case connecting
  case live
  /// The shown state is old.
  case away
}

/// A state of the past, from the journal.
package struct PastState: Equatable, Sendable {
  package let schema: Schema
  package let value: CBORValue
  package let revision: UInt64
  /// Milliseconds since 1970.
  package let time: Int64

  package init(schema: Schema, value: CBORValue, revision: UInt64, time: Int64) {
    (self.schema, self.value, self.revision, self.time) = (schema, value, revision, time)
  }
}
