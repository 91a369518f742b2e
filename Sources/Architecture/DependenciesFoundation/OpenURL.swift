public import Dependencies
public import Foundation

extension DependencyValues {
  /// Opens URLs in the user's programs, by `xdg-open`; in tests, a function that reports that it was not overridden.
  ///
  /// ```swift
  /// @Dependency(\.openURL) var openURL
  /// await openURL(URL(string: "https://example.com")!)
  /// ```
  public var openURL: OpenURLEffect {
    get { self[OpenURLKey.self] }
    set { self[OpenURLKey.self] = newValue }
  }
}

/// A function that opens URLs.
public struct OpenURLEffect: Sendable {
  private let handler: @Sendable (URL) async -> Bool

  /// Creates a function from a closure that returns true if the URL was opened.
  public init(handler: @escaping @Sendable (URL) async -> Bool) {
    self.handler = handler
  }

  /// Opens a URL; returns true if a program accepted it.
  @discardableResult
  public func callAsFunction(_ url: URL) async -> Bool { await handler(url) }
}

private enum OpenURLKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = OpenURLEffect { url in
    // Without a scheme it could be an option of the program.
    guard url.scheme != nil else { return false }
    return await withCheckedContinuation { continuation in
      let opener = Process()
      opener.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      opener.arguments = ["xdg-open", url.absoluteString]
      opener.standardOutput = FileHandle.nullDevice
      opener.standardError = FileHandle.nullDevice
      opener.terminationHandler = { continuation.resume(returning: $0.terminationStatus == 0) }
      do { try opener.run() } catch { continuation.resume(returning: false) }
    }
  }
  static var testValue: OpenURLEffect {
    let report = unimplementedReport(of: "openURL")
    return OpenURLEffect { _ in
      report("", nil)
      return false
    }
  }
}
