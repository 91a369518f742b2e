public import PromptState

// Nothing here animates. These overloads let code that was written for SwiftUI compile.

extension Effect {
  /// Sends an action in the same turn. The animation has no effect.
  public static func send(_ action: Action, animation: Animation?) -> Effect {
    .send(action)
  }

  /// The effect itself. The animation has no effect.
  public func animation(_ animation: Animation? = .default) -> Effect { self }

  /// The effect itself. The transaction has no effect.
  public func transaction(_ transaction: Transaction) -> Effect { self }
}

extension Send {
  /// Sends an action. The animation has no effect.
  public func callAsFunction(_ action: Action, animation: Animation?) {
    self(action)
  }

  /// Sends an action. The transaction has no effect.
  public func callAsFunction(_ action: Action, transaction: Transaction) {
    self(action)
  }
}

extension DismissEffect {
  /// Dismisses the feature of the calling effect. The animation has no effect.
  @MainActor
  public func callAsFunction(
    animation: Animation?,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await self(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Dismisses the feature of the calling effect. The transaction has no effect.
  @MainActor
  public func callAsFunction(
    transaction: Transaction,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await self(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
