internal import HTTPServer
internal import JSONText
internal import Wire

/// The inspector's page, embedded in the program, and the headers of all responses.
enum InspectorPage {
  /// The headers forbid loading from other sites, scripts in texts, and other pages that embed or read this one.
  static let headers = [
    (
      "Content-Security-Policy",
      """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
      base-uri 'none'; form-action 'none'; \
      frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
      """
    ),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]

  static func guarded(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.headers += headers
    return response
  }

  static func json(_ json: JSONValue, status: UInt32 = 200) -> HTTPResponse {
    guarded(HTTPResponse(status, "application/json", Array("\(json)".utf8)))
  }

  /// Returns a file of the page; nil for an unknown path.
  static func file(at path: String) -> HTTPResponse? {
    switch path {
    case "/": guarded(HTTPResponse(200, "text/html; charset=utf-8", PackageResources.inspector_html))
    case "/inspector.css": guarded(HTTPResponse(200, "text/css; charset=utf-8", PackageResources.inspector_css))
    case "/inspector.js": guarded(HTTPResponse(200, "text/javascript; charset=utf-8", PackageResources.inspector_js))
    case "/metrics.js": guarded(HTTPResponse(200, "text/javascript; charset=utf-8", PackageResources.metrics_js))
    case "/icon.svg": guarded(HTTPResponse(200, "image/svg+xml", PackageResources.icon_svg))
    default: nil
    }
  }
}
