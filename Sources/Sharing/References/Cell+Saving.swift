internal import IssueReporting

extension Cell {
  /// Saves a change; a failure is reported at the location of the change.
  func save(_ delivery: Delivery) {
    let place = delivery.place
    backing?.save?(
      delivery.value, .didSet,
      SaveContinuation(place: place) { [weak self] result in
        if case .failure(let error) = result { reportIssue(error, at: place) }
        self?.finishSave(result, counted: true)
      })
  }

  /// Saves on request.
  func save() async throws {
    guard let save = backing?.save else { return }
    let value = readCurrent()
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      save(
        value, .userInitiated,
        SaveContinuation(place: place) { [weak self] result in
          self?.finishSave(result, counted: false)
          continuation.resume(with: result)
        })
    }
  }

  private func finishSave(_ result: Result<Void, any Error>, counted: Bool) {
    let reads = state.withLock { state in
      switch result {
      case .success: state.saveError = nil
      case .failure(let error): state.saveError = error
      }
      if counted { state.unsaved -= 1 }
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
      load(.userInitiated) { continuation.resume(with: $0.map { _ in }) }
    }
  }

  func access() { observation.accessStatus() }

  func touch() {
    observation.valueChanged()
    observation.statusChanged()
  }
}
