public import Wire

extension ReplicaCore {
  /// Subscribes a mirror to a part of a state. It gets a value once a hub is connected.
  ///
  /// - Parameters:
  ///   - mirror: A mirror without a value and without another subscription.
  ///   - path: The steps to the part, by the keys of `schema`.
  ///   - root: The feature's state or the hub's own.
  ///   - context: An object of the shell's choice, which is returned with the changes.
  public mutating func subscribe(
    _ mirror: any Mirror, to path: [PathStep], of root: StateRoot = .feature, context: AnyObject? = nil
  ) {
    add(Subscription(mirror, root: root, path: path, context: context))
  }

  mutating func add(_ subscription: Subscription) {
    subscriptions.append(subscription)
    if case .open(let open) = link { attach(subscription, known: nil, on: open) }
  }

  /// Subscribes to a part of the feature's state by a typed path.
  public mutating func subscribe<State, Part>(to path: StatePath<State, Part>) -> TypedMirror<Part> {
    let mirror = TypedMirror<Part>()
    subscribe(mirror, to: path.steps)
    return mirror
  }

  /// Subscribes to a part of the hub's own state by a typed path.
  public mutating func subscribeToHub<Part>(_ path: StatePath<HubState, Part>) -> TypedMirror<Part> {
    let mirror = TypedMirror<Part>()
    subscribe(mirror, to: path.steps, of: .hub)
    return mirror
  }

  /// Ends the subscription of a mirror, which keeps its value.
  public mutating func unsubscribe(_ mirror: any Mirror) {
    guard let index = subscriptions.firstIndex(where: { $0.mirror === mirror }) else { return }
    let subscription = subscriptions.remove(at: index)
    seen.partsChanged()
    guard case .open(let open) = link else { return }
    let wasAttached = subscription.attachment != nil
    detach(subscription, from: open)
    if wasAttached { attachThoseWithoutRoom(on: open) }
    becomeLiveIfComplete()
  }

  /// Moves the subscription of a mirror to another part of the same type, such as another window of its collection.
  ///
  /// The mirror keeps its value until that of the other part arrives, which replaces it as a change, even if it is equal:
  /// one request and one answer, whose size is that of the part. The hub no longer sends changes of the first part.
  ///
  /// - Parameters:
  ///   - mirror: A subscribed mirror; without a subscription, there is no effect.
  ///   - path: The steps to the other part.
  public mutating func move(_ mirror: any Mirror, to path: [PathStep]) {
    guard let subscription = subscriptions.first(where: { $0.mirror === mirror }), subscription.path != path else {
      return
    }
    subscription.path = path
    reattach(subscription)
  }

  /// Attaches the new place of a subscription in place of the old one.
  mutating func reattach(_ subscription: Subscription) {
    (subscription.base, subscription.isMoving) = (nil, true)
    noteLoss(of: subscription)
    guard case .open(let open) = link else { return }
    let before = subscription.attachment
    detach(subscription, from: open)
    attach(subscription, known: nil, on: open)
    subscription.attachment?.replacesAnother = before != nil
    // A window that is no smaller than before leaves nothing.
    let elements = subscription.attachment?.windowElements ?? 0
    if let before, before.windowElements > elements { attachThoseWithoutRoom(on: open) }
    // The hub may not serve the other part.
    becomeLiveIfComplete()
  }

  /// The reason why the hub cannot serve a mirror, whose value is then absent: it is one of a release without windows, or
  /// the window is too large for it, alone or with the client's other windows; or its feature does not declare the view,
  /// or refuses its parameter, or the user may not read it, or the hub does not compute it any more; or the part would
  /// exceed a limit of the hub; or the path has more than 32 steps or 4,096 bytes, because of long ids. Nil if it can.
  ///
  /// A part that has no place beside the others is requested again each time that one of these is unsubscribed, or moved
  /// to a smaller window.
  public func refusal(of mirror: any Mirror) -> String? {
    subscriptions.first { $0.mirror === mirror }?.refusal
  }

  /// The code of the error for which the hub cannot serve a mirror, with the text of `refusal(of:)`: `tooManyScopes` for
  /// a limit, `notPermitted` or `unknownScope`, or another code of a later hub. Nil if it can, and for a view that it
  /// does not compute any more.
  public func refusalCode(of mirror: any Mirror) -> PeerErrorCode? {
    subscriptions.first { $0.mirror === mirror }?.refusalCode
  }

  /// Returns true if the mirror is subscribed.
  public func isSubscribed(_ mirror: any Mirror) -> Bool { subscriptions.contains { $0.mirror === mirror } }

  /// Requests the hub's hash of a mirror's value, to compare it.
  public mutating func verify(_ mirror: any Mirror) {
    guard case .open = link, let number = subscriptions.first(where: { $0.mirror === mirror })?.attachment?.number
    else { return }
    commands.append(.write(output.frame(FrameHeader(kind: .verify, scope: number)) { _ in }))
  }

  // MARK: Attaching

  mutating func endConnection() {
    for subscription in subscriptions { subscription.attachment = nil }
    cancellations.endConnection()
  }

  mutating func attachAll(on open: OpenLink) {
    for subscription in subscriptions {
      subscription.isAwaited = subscription.base == nil
      attach(subscription, known: subscription.base, on: open)
    }
  }

  mutating func attach(_ subscription: Subscription, known: UInt64?, on open: OpenLink) {
    subscription.awaitsRoom = false
    if let view = subscription.view { return attach(subscription, in: view, known: known, on: open) }
    if subscription.root.isHubsOwn, ownStateRefusal != nil { return reportAbsence(of: subscription) }
    subscription.refusal = nil
    // An older hub would take the request for a malformed one, and close the connection.
    if let refusal = refusal(ofWindowAt: subscription.path, on: open) {
      // There may be room later, but never for a window that is larger than all that the hub serves.
      let isTooLarge = UInt64(subscription.path.windowElements) > windowElements
      return refuse(subscription, isTooLarge ? .unknownScope : .tooManyScopes, refusal)
    }
    var (path, mapping): ([PathStep], SchemaMapping?) = (subscription.path, nil)
    do throws(SchemaPathError) {
      if let schema = Self.schema(ofHubsOwn: subscription.root) ?? schema {
        try subscription.mirror.attach(schema, at: path)
      }
      if let translation = open.translation, subscription.root == .feature {
        path = try translation.paths.mapPath(path)
        mapping = try translation.state?.part(at: path)
      }
    } catch {
      // For a hub without this part, its value is absent.
      return reportAbsence(of: subscription)
    }
    request(subscription, path, mapping, isExact: open.translation == nil, known: known, on: open)
  }

  /// Requests the values of a part whose path the hub knows.
  mutating func request(
    _ subscription: Subscription, _ path: [PathStep], _ mapping: SchemaMapping?, isExact: Bool, known: UInt64?,
    on open: OpenLink
  ) {
    // The hub would close the connection because of a longer one.
    if let excess = Attach.excess(of: path) { return refuse(subscription, .unknownScope, excess) }
    // Without a free number it waits for the next connection.
    guard let number = open.numbers.assign(subscription) else { return }
    let elements = UInt64(subscription.path.windowElements)
    open.windowElements += elements
    subscription.attachment = Subscription.Attachment(
      number: number, mapping: mapping, isExact: isExact, windowElements: elements, detachments: open.detachments)
    let request = Attach(root: subscription.root, path: path, knownRevision: known)
    commands.append(.write(output.frame(request, scope: number)))
  }

  /// The reason why a window cannot be requested beside the others; nil if it can. Too many elements are the end of the
  /// connection for a hub of version 0.1.0.
  func refusal(ofWindowAt path: [PathStep], on open: OpenLink) -> String? {
    let count = UInt64(path.windowElements)
    guard count > 0, count > windowElements - min(windowElements, open.windowElements) else { return nil }
    if windowElements == 0 {
      return "this hub serves no windows of collections: it is of an older release, or its limits forbid them"
    }
    return count > windowElements
      ? "a window of this hub has at most \(windowElements) elements, and \(count) were requested"
      : """
      the windows of a client of this hub have at most \(windowElements) elements in all; \(open.windowElements) are in \
      use, and \(count) more were requested; unsubscribe from another window, or request a smaller one
      """
  }

  /// Requests the windows that were not requested before and have a place now, the oldest subscriptions first.
  private mutating func attachRefusedWindows(on open: OpenLink) {
    for subscription in subscriptions where hasPlaceNow(subscription, on: open) { attachAgain(subscription, on: open) }
  }

  /// True for a window that was not requested because of the client's other windows, and that fits beside them now.
  private func hasPlaceNow(_ subscription: Subscription, on open: OpenLink) -> Bool {
    windowElements > 0 && subscription.refusalCode == .tooManyScopes && subscription.path.windowElements > 0
      && !subscription.awaitsRoom && subscription.attachment == nil
      && refusal(ofWindowAt: subscription.path, on: open) == nil
  }

  /// Requests all parts that wait for room after one was detached, the oldest first: those that the hub has refused
  /// because of a limit, and windows that have a place now. Which of the former has room is known to the hub alone, whose
  /// limits are of numbers and of sizes, of the client and of its user.
  ///
  /// Each is requested at most once for each detached part. One whose request is on its way is requested again when the
  /// hub has refused it, since it may have done so before it read of the detached part (`receiveDetached`).
  private mutating func attachThoseWithoutRoom(on open: OpenLink) {
    open.detachments += 1
    for subscription in subscriptions {
      guard subscription.awaitsRoom || hasPlaceNow(subscription, on: open) else { continue }
      attachAgain(subscription, on: open)
    }
  }

  /// Requests a part that was refused. The refusal is what is known of it until the hub answers.
  private mutating func attachAgain(_ subscription: Subscription, on open: OpenLink) {
    let (refusal, code) = (subscription.refusal, subscription.refusalCode)
    attach(subscription, known: nil, on: open)
    if subscription.attachment != nil { (subscription.refusal, subscription.refusalCode) = (refusal, code) }
  }

  /// Records that this hub does not serve a part.
  mutating func refuse(_ subscription: Subscription, _ code: PeerErrorCode, _ reason: String) {
    (subscription.refusal, subscription.refusalCode) = (reason, code)
    reportAbsence(of: subscription)
  }

  mutating func reportAbsence(of subscription: Subscription) {
    subscription.mirror.remove(at: subscription.mirror.revision ?? 0)
    subscription.isUnknownToHub()
    noteLoss(of: subscription)
    report(subscription)
  }

  private mutating func detach(_ subscription: Subscription, from open: OpenLink) {
    guard let attachment = subscription.attachment else { return }
    subscription.attachment = nil
    open.windowElements -= attachment.windowElements
    open.numbers.retire(attachment.number)
    commands.append(.write(output.frame(FrameHeader(kind: .detach, scope: attachment.number)) { _ in }))
  }

  private mutating func report(_ subscription: Subscription) {
    // The hub's state cannot contain actions that were not sent.
    if pending.sentCount == 0 { onSettled?() }
    subscription.isMoving = false
    guard !subscription.isReported else { return }
    subscription.isReported = true
    reported.append(subscription)
    commands.append(.changed(subscription.mirror, context: subscription.context))
  }

  // MARK: Frames of a scope

  // Frames of a detached scope may still arrive.

  mutating func receiveSnapshot(
    _ header: FrameHeader, _ payload: RawSpan, on open: OpenLink, at now: Duration
  ) throws(WireError) {
    let piece = try SnapshotPiece(CBORDecoder(payload))
    guard let subscription = open.numbers[header.scope] else { return }
    if piece.offset == 0 { subscription.attachment?.pieces = [] }
    guard piece.offset == UInt64(subscription.attachment?.pieces.count ?? 0) else {
      return giveUp("a piece of a snapshot is missing", at: now)
    }
    guard Int(piece.offset) + piece.bytes.byteCount <= options.stateBytes else {
      // Another attempt would receive the same state.
      let reason = "the hub's state is larger than the \(options.stateBytes) bytes that this client accepts"
      return stop(.refused(reason: reason), reason: reason)
    }
    let isLast = header.flags & SnapshotPiece.finalFlag != 0
    guard !isLast || piece.offset > 0 else {
      return try replace(subscription, with: piece.bytes, at: header.revision)
    }
    subscription.append(piece.bytes)
    guard isLast, let pieces = subscription.attachment?.pieces else { return }
    subscription.attachment?.pieces = []
    try replace(subscription, with: pieces.span.bytes, at: header.revision)
  }

  private mutating func replace(
    _ subscription: Subscription, with value: RawSpan, at revision: UInt64
  ) throws(WireError) {
    (subscription.base, subscription.refusal) = (nil, nil)
    let isChanged: Bool
    if let mapping = subscription.attachment?.mapping {
      let mapped = try mapping.mapValue([UInt8](value))
      isChanged = try subscription.mirror.replace(with: mapped.span.bytes, at: revision)
    } else {
      isChanged = try subscription.mirror.replace(with: value, at: revision)
    }
    noteArrival(of: subscription, at: revision)
    if isChanged || subscription.isMoving { report(subscription) }
    reportResumedOutcomes()
    becomeLiveIfComplete()
  }

  mutating func receiveDelta(
    _ header: FrameHeader, _ payload: RawSpan, on open: OpenLink, at now: Duration
  ) throws(WireError) {
    guard let subscription = open.numbers[header.scope] else { return }
    var decoder = CBORDecoder(payload)
    try decoder.tuple(2)
    let base = try decoder.unsigned()
    let own = subscription.base
    // If an error occurs below, only a snapshot can correct the value.
    subscription.base = nil
    guard own == base, header.revision > base else {
      // A delta is applied only to the state that it was made for.
      let own = subscription.mirror.revision ?? 0
      return giveUp("the hub sent a delta from revision \(base) to a client at \(own)", at: now)
    }
    if let mapping = subscription.attachment?.mapping {
      var encoder = CBOREncoder()
      try mapping.mapChange(&decoder, to: &encoder)
      try decoder.finish()
      let bytes = encoder.bytes
      try subscription.mirror.apply(CBORDecoder(bytes.span.bytes), at: header.revision)
    } else {
      try subscription.mirror.apply(decoder, at: header.revision)
    }
    noteArrival(of: subscription, at: header.revision)
    report(subscription)
    reportResumedOutcomes()
  }

  /// Adopts the revision up to which the hub's part is unchanged.
  mutating func receiveBookmark(_ header: FrameHeader, on open: OpenLink, at now: Duration) {
    guard let subscription = open.numbers[header.scope] else { return }
    guard let base = subscription.base, header.revision > base else {
      subscription.base = nil
      let own = subscription.mirror.revision ?? 0
      return giveUp("the hub sent a bookmark of \(header.revision) to a client at \(own)", at: now)
    }
    subscription.mirror.advance(to: header.revision)
    noteArrival(of: subscription, at: header.revision)
    reportResumedOutcomes()
  }

  mutating func receiveAbsence(_ header: FrameHeader, _ reason: RawSpan, on open: OpenLink) throws(WireError) {
    guard let subscription = open.numbers[header.scope] else { return }
    // The part may disappear while its snapshot is being sent.
    subscription.attachment?.pieces = []
    // A hub says why it has no value of a view, or has not attached a part.
    subscription.refusal = reason.byteCount > 0 ? try String(decoding: reason) : nil
    // The frame has a revision in the former case; what an earlier request was refused for is over.
    if header.revision > 0 { subscription.refusalCode = nil }
    // In the latter case *detached* follows with the code, and is reported.
    if reason.byteCount == 0 || subscription.root == .views {
      subscription.mirror.remove(at: header.revision)
      noteArrival(of: subscription, at: header.revision)
      report(subscription)
    }
    reportResumedOutcomes()
    becomeLiveIfComplete()
  }

  /// Receives the confirmation of a detached scope, or the refusal of one that was to be attached.
  mutating func receiveDetached(_ header: FrameHeader, _ code: RawSpan, on open: OpenLink) throws(WireError) {
    guard let subscription = open.numbers.confirm(header.scope) else { return }
    let attachment = subscription.attachment
    open.windowElements -= attachment?.windowElements ?? 0
    subscription.attachment = nil
    let code = code.byteCount > 0 ? PeerErrorCode(rawValue: try UInt64(decoding: code)) : .tooManyScopes
    // What this hub refuses for another reason than a limit, such as a view's parameter, it would refuse again.
    subscription.awaitsRoom = code == .tooManyScopes
    refuse(subscription, code, subscription.refusal ?? "this hub has not attached the part")
    if attachment?.replacesAnother == true {
      // The place of that one is free.
      attachThoseWithoutRoom(on: open)
    } else {
      if let attachment, subscription.awaitsRoom, attachment.detachments < open.detachments {
        attachAgain(subscription, on: open)
      }
      // The elements of a refused window are free for windows that were not requested because of them.
      attachRefusedWindows(on: open)
    }
    reportResumedOutcomes()
    becomeLiveIfComplete()
  }

  /// Compares the hub's hash with the mirror's, and requests a snapshot if they differ.
  mutating func receiveHash(_ header: FrameHeader, _ theirs: StateHash, on open: OpenLink, at now: Duration) {
    // The hash of a converted value, or of one with other fields, is different.
    guard let subscription = open.numbers[header.scope], subscription.attachment?.isExact == true,
      subscription.base != nil, let ours = subscription.mirror.hash()
    else { return }
    subscription.mirror.compared(HashComparison(revision: header.revision, here: ours, there: theirs))
    // Another release of the hub may have other fields in the hub's own state.
    guard ours != theirs, !subscription.root.isHubsOwn else { return }
    // One or two differences are corrected; a hub that never agrees, or never confirms detached numbers, exhausts them.
    guard open.numbers.retiredCount < ScopeNumbers.retiredLimit else {
      return giveUp("the hub does not confirm that \(open.numbers.retiredCount) scopes are detached", at: now)
    }
    let divergence = Divergence(revision: header.revision, here: ours, there: theirs)
    commands.append(.diverged(subscription.mirror, divergence))
    detach(subscription, from: open)
    subscription.base = nil
    noteLoss(of: subscription)
    attach(subscription, known: nil, on: open)
  }
}

extension Subscription {
  fileprivate func append(_ piece: RawSpan) {
    piece.withUnsafeBytes { attachment?.pieces.append(contentsOf: $0) }
  }
}
