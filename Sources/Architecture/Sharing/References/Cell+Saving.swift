internal import IssueReporting

extension Cell {
  /// Saves a change or on request. The failure of a change is reported at its location.
  func save(_ delivery: Delivery, _ context: SaveContext) {
    let (place, completion) = (delivery.place, delivery.completion)
    // Since a request was made, the source may have received a newer value, which must not be overwritten.
    let value = context == .userInitiated ? state.withLock { $0.value } : delivery.value
    var continuation = SaveContinuation(place: place) { [weak self] result in
      if completion == nil, case .failure(let error) = result { reportFailure(error, at: place) }
      self?.finishSave(result)
      completion?(result)
    }
    if delivery.base != nil {
      continuation.taken = { [weak self] in self?.state.withLock { $0.queuedChanges -= 1 } }
    }
    backing?.save?(delivery.base ?? value, value, context, continuation)
  }

  /// Saves on request, after the changes before it.
  func save() async throws {
    guard backing?.save != nil else { return }
    reloadIfOutdated()
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      state.withLock { state in
        state.unsaved += 1
        state.queue.append(
          Delivery(value: state.value, save: .userInitiated, place: place) { continuation.resume(with: $0) })
      }
      deliver()
    }
  }

  private func finishSave(_ result: Result<Void, any Error>) {
    let reads = state.withLock { state in
      switch result {
      case .success: (state.loadError, state.saveError) = (nil, nil)
      case .failure(let error): state.saveError = error
      }
      state.unsaved -= 1
      return state.unsaved == 0 && state.needsReload
    }
    observation.statusChanged()
    if reads { sourceChanged() }
  }
}

extension Cell: Reference {
  var root: any Reference { self }

  var isLoading: Bool {
    observation.accessStatus()
    return state.withLock { $0.loads > 0 || $0.isSourceLoading }
  }

  var loadError: (any Error)? {
    observation.accessStatus()
    return state.withLock { $0.loadError }
  }

  var saveError: (any Error)? {
    observation.accessStatus()
    return state.withLock { $0.saveError }
  }

  func load() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      load(.userInitiated, keepsValue: true) { continuation.resume(with: $0.map { _ in }) }
    }
  }

  func access() { observation.accessStatus() }

  func touch() {
    observation.valueChanged()
    observation.statusChanged()
  }
}
