internal import IssueReporting

extension Cell {
  /// Accepts a value from the source; nil stands for the initial value.
  private func receive(_ value: Value?) {
    let value = value ?? initialValue.withLock { $0 }
    betweenChanges {
      state.withLock { state in
        // The key has not combined them with the source's value; it reports that next.
        if backing?.combinesChanges == true, state.queuedChanges > 0 { return }
        receive(value, into: &state)
      }
    }
    observation.valueChanged()
    deliver()
  }

  private func receive(_ value: Value, into state: inout State) {
    state.value = value
    state.loadError = nil
    state.isSourceLoading = false
    enqueue(&state, saving: false, at: place)
  }

  private func failed(_ error: any Error) {
    state.withLock { ($0.loadError, $0.isSourceLoading) = (error, false) }
    observation.statusChanged()
  }

  /// Records that the source cannot be reached at present. The value stays, and another one is expected.
  private func becameUnavailable(_ error: any Error) {
    state.withLock { ($0.loadError, $0.isSourceLoading) = (error, true) }
    observation.statusChanged()
  }

  /// Loads the value from the key.
  ///
  /// Local changes made meanwhile are newer than the loaded value and are kept; `completion` still receives a success.
  ///
  /// - Parameter keepsValue: True if the reference keeps its value when the key has none. Otherwise it gets the initial
  ///   one.
  func load(
    _ context: LoadContext<Value>, keepsValue: Bool = false,
    completion: @escaping @Sendable (Result<Bool, any Error>) -> Void
  ) {
    guard let backing else { return completion(.success(true)) }
    let version = state.withLock { state in
      state.loads += 1
      return state.version
    }
    observation.statusChanged()
    backing.load(
      context,
      LoadContinuation(place: place) { [weak self] result in
        guard let self else { return completion(result.map { _ in true }) }
        let isTaken = finishLoad(result, of: version, keepsValue: keepsValue)
        completion(result.map { _ in isTaken })
      })
  }

  /// Returns true if the value was accepted.
  private func finishLoad(_ result: Result<Value?, any Error>, of version: Int, keepsValue: Bool) -> Bool {
    let initialValue = initialValue.withLock { $0 }
    let isTaken = betweenChanges {
      state.withLock { state in
        state.loads -= 1
        switch result {
        case .success(let value):
          guard state.version == version else { return false }
          receive(value ?? (keepsValue ? state.value : initialValue), into: &state)
        case .failure(let error): state.loadError = error
        }
        return true
      }
    }
    observation.statusChanged()
    if isTaken, case .success = result {
      observation.valueChanged()
      deliver()
    }
    return isTaken
  }

  /// Reloads after another program has changed the source.
  ///
  /// A pending save will replace the other program's change, so the source is read after that save. Reading earlier
  /// could restore a value that is no longer on disk.
  func sourceChanged() {
    let reads = state.withLock { state in
      state.needsReload = state.unsaved > 0
      return !state.needsReload
    }
    guard reads else { return }
    load(.userInitiated) { [weak self] in
      guard let self else { return }
      switch $0 {
      case .success(true): break
      case .success(false): sourceChanged()
      case .failure(let error): reportFailure(error, at: place)
      }
    }
  }

  /// Reloads before a change if the source has changed and not reported it yet. The change would otherwise be made to
  /// the previous value, and saving it would overwrite the other program's.
  ///
  /// While earlier changes are being saved, they are newer than the source.
  func reloadIfOutdated() {
    guard let isOutdated = backing?.isOutdated, state.withLock({ $0.unsaved == 0 }) else { return }
    // In this order: another thread may be loading a change that the key knows already and this reference does not.
    guard isOutdated() || state.withLock({ $0.loads > 0 }) else { return }
    sourceChanged()
  }

  func subscriber() -> SharedSubscriber<Value> {
    SharedSubscriber(
      callback: { [weak self] in
        guard let self else { return }
        switch $0 {
        case .success(let value): receive(value)
        case .failure(let error):
          failed(error)
          reportFailure(error, at: place)
        }
      },
      loading: { [weak self] isLoading in
        guard let self else { return }
        state.withLock { $0.isSourceLoading = isLoading }
        observation.statusChanged()
      },
      sourceChanged: { [weak self] in self?.sourceChanged() },
      unavailable: { [weak self] in self?.becameUnavailable($0) })
  }
}
