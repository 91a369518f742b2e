import ComposableCore
import Foundation

extension TextState {
  /// Creates text from its key in a table of a bundle: `TextState("editor.title", bundle: .module)`.
  ///
  /// The text is looked up at once, for the languages of the process; without an entry it is the key. An interpolated key
  /// is looked up as the string that it results in.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - tableName: The name of the `.strings` file; `Localizable` by default.
  ///   - bundle: The bundle; the main one by default.
  ///   - comment: A comment for translators.
  public init(_ key: String, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil) {
    self.init(verbatim: (bundle ?? .main).localizedString(forKey: key, value: key, table: tableName))
  }
}
