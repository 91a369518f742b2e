extension Shared {
  /// True while the key is loading the value.
  public var isLoading: Bool { location.root.isLoading }

  /// The error of the last load; nil if it succeeded, and after a save.
  public var loadError: (any Error)? { location.root.loadError }

  /// The error of the last save; nil if it succeeded.
  public var saveError: (any Error)? { location.root.saveError }

  /// Reloads the value. A change that is made meanwhile is kept, and so is the value if the key has none.
  ///
  /// - Throws: The key's error if it cannot load; the value then does not change.
  public func load() async throws { try await location.root.load() }

  /// Saves the value and waits until that is done. Changes are saved without this call as well.
  ///
  /// - Throws: The key's error if it cannot save.
  public func save() async throws { try await location.root.save() }
}

extension SharedReader {
  /// True while the key is loading the value.
  public var isLoading: Bool { location.root.isLoading }

  /// The error of the last load; nil if it succeeded.
  public var loadError: (any Error)? { location.root.loadError }

  /// Reloads the value. It is kept if the key has none.
  ///
  /// - Throws: The key's error if it cannot load; the value then does not change.
  public func load() async throws { try await location.root.load() }
}
