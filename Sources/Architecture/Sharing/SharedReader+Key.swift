internal import Dependencies
internal import IssueReporting

extension SharedReader {
  private init<Key: SharedReaderKey<Value>>(
    key: Key, isLoaded: Bool = false, default value: () -> Value,
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    self.init(location: Self.cell(key, isLoaded: isLoaded, default: value, fileID, filePath, line, column))
  }

  private static func cell<Key: SharedReaderKey<Value>>(
    _ key: Key, isLoaded: Bool, default value: () -> Value,
    _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt
  ) -> Cell<Value> {
    @Dependency(\.persistentReferences) var references
    return references.cell(
      of: key, isLoaded: isLoaded,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column), default: value)
  }

  /// Reads the value of a key, with a default in case the key finds none.
  public init(
    wrappedValue: @autoclosure () -> Value, _ key: some SharedReaderKey<Value>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(key: key, default: wrappedValue, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the optional value of a key, which is nil if the key finds none.
  @_disfavoredOverload
  public init<Wrapped>(
    _ key: some SharedReaderKey<Value>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Value == Wrapped? {
    self.init(key: key, default: { nil }, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the value of a key that has a default.
  public init(
    _ key: (some SharedReaderKey<Value>).Default,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(key: key, default: key.defaultValue, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the value of a key, with a default that overrides the key's own.
  @_disfavoredOverload
  public init(
    wrappedValue: @autoclosure () -> Value, _ key: (some SharedReaderKey<Value>).Default,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(key: key, default: wrappedValue, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the value of a key and waits until it is loaded.
  ///
  /// - Throws: The key's error if it cannot load; ``SharedValueMissing`` if it has no value.
  public init(
    require key: some SharedReaderKey<Value>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async throws {
    let value = try await required(key, fileID, filePath, line, column)
    self.init(
      key: key, isLoaded: true, default: { value }, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Makes this share and its copies refer to another key's value, and waits until it is loaded.
  public func load(
    _ key: some SharedReaderKey<Value>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async throws {
    point(to: Self.cell(key, isLoaded: true, default: { location.readCurrent() }, fileID, filePath, line, column))
    try await load()
  }
}
