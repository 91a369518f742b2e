internal import CCurl

/// An absolute http or https URL with a host, as libcurl reads it (curl_url_set(3)).
package nonisolated struct WebAddress: Equatable, Sendable {
  /// The URL as given.
  package let url: String
  /// True if it has a query or a fragment, so that no path can be appended.
  package let hasQueryOrFragment: Bool

  /// Checks a URL.
  ///
  /// - Throws: `HTTPError.badURL`, with the reason.
  package init(_ url: String) throws(HTTPError) {
    // libcurl reads a C string, and accepts one to three slashes.
    let beginning = url.prefix(9).lowercased()
    guard !url.utf8.contains(0),
      ["http://", "https://"].contains(where: { beginning.hasPrefix($0) && !beginning.hasPrefix($0 + "/") })
    else { throw .badURL(url, reason: "it must begin with http:// or https:// and a host") }
    guard let parts = curl_url() else { preconditionFailure("libcurl has no memory for a URL") }
    defer { curl_url_cleanup(parts) }
    let code = curl_url_set(parts, CURLUPART_URL, url, 0)
    guard code == CURLUE_OK else { throw .badURL(url, reason: String(cString: curl_url_strerror(code))) }
    guard Self.has(CURLUPART_HOST, parts) else { throw .badURL(url, reason: "it has no host") }
    self.url = url
    hasQueryOrFragment = Self.has(CURLUPART_QUERY, parts) || Self.has(CURLUPART_FRAGMENT, parts)
  }

  private static func has(_ part: CURLUPart, _ parts: OpaquePointer) -> Bool {
    var text: UnsafeMutablePointer<CChar>?
    defer { curl_free(text) }
    return curl_url_get(parts, part, &text, 0) == CURLUE_OK && text?.pointee != 0
  }
}
