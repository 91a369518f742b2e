/// A group of mocks in a ``MockPageTemplate``.
public struct Section {
  /// The name of the group.
  public let title: String
  /// The mocks, in order.
  public let mocks: [Mock]

  /// Creates a group.
  public init(title: String, mocks: [Mock]) {
    (self.title, self.mocks) = (title, mocks)
  }
}

/// A behaviour that a tester can give to a running feature.
public struct Mock {
  /// The name of the behaviour.
  public let title: String
  /// Applies the mock, usually by calling ``Bootstrap``.
  public let apply: () -> Void

  /// Creates a mock.
  public init(title: String, apply: @escaping () -> Void) {
    (self.title, self.apply) = (title, apply)
  }
}

/// A list of mocks without a view. A program shows ``sections(matching:)`` and calls ``apply(_:)`` with the title that
/// the tester chooses.
///
/// ```swift
/// final class HomeMocks: MockPageTemplate {
///   init() {
///     let noInternet = Mock(title: "No Internet") {
///       Bootstrap.mock(environment: HomeEnvironment(request: { Effect(error: NoInternet()) }))
///     }
///     super.init(sections: [Section(title: "Home", mocks: [noInternet])])
///   }
/// }
/// ```
open class MockPageTemplate {
  /// All groups.
  public var sections: [Section]

  /// Creates a list.
  public init(sections: [Section]) {
    self.sections = sections
  }

  /// Returns the mocks whose title contains a text, ignoring case, in their groups. Groups without a match are omitted.
  /// An empty text matches all mocks.
  public func sections(matching text: String) -> [Section] {
    guard !text.isEmpty else { return sections }
    return sections.compactMap { section in
      let mocks = section.mocks.filter { $0.title.lowercased().contains(text.lowercased()) }
      return mocks.isEmpty ? nil : Section(title: section.title, mocks: mocks)
    }
  }

  /// Applies the first mock with a title; returns false if there is none.
  @discardableResult
  open func apply(_ title: String) -> Bool {
    guard let mock = sections.lazy.flatMap(\.mocks).first(where: { $0.title == title }) else { return false }
    mock.apply()
    return true
  }
}
