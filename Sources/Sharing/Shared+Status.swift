extension Shared {
  /// Whether the key is looking for the value.
  public var isLoading: Bool { location.root.isLoading }

  /// Why the value could not be loaded the last time; nil after a success.
  public var loadError: (any Error)? { location.root.loadError }

  /// Why the value could not be saved the last time; nil after a success.
  public var saveError: (any Error)? { location.root.saveError }

  /// Has the key load the value again, and waits for it. A change that is made meanwhile is kept.
  ///
  /// - Throws: What the key says when it cannot load; the value stays as it was.
  public func load() async throws { try await location.root.load() }

  /// Has the key save the value, which it does after every change anyway, and waits for it.
  ///
  /// - Throws: What the key says when it cannot save.
  public func save() async throws { try await location.root.save() }
}

extension SharedReader {
  /// Whether the key is looking for the value.
  public var isLoading: Bool { location.root.isLoading }

  /// Why the value could not be loaded the last time; nil after a success.
  public var loadError: (any Error)? { location.root.loadError }

  /// Has the key load the value again, and waits for it.
  ///
  /// - Throws: What the key says when it cannot load; the value stays as it was.
  public func load() async throws { try await location.root.load() }
}
