package import Features
package import HTTPClient

extension NumberFactClient {
  /// Gets facts from a web service: `URL/NUMBER/trivia` responds with one sentence of plain text.
  ///
  /// If the service cannot be reached, is slow, or responds with anything but status 200 and text, `fetch` throws an error
  /// with a message for the user.
  ///
  /// - Parameters:
  ///   - url: The URL of the service, with or without a slash at its end.
  ///   - http: The client that sends the requests.
  ///   - timeout: The time for one request.
  package static func service(at url: String, over http: HTTPClient, timeout: Duration = .seconds(5))
    -> NumberFactClient
  {
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    return NumberFactClient { number in
      let response: HTTPResponse
      do {
        response = try await http.get("\(base)/\(number)/trivia", timeout: timeout, limit: 4096)
      } catch let error as HTTPError {
        throw NumberFactError(message: "The fact service cannot be reached: \(error). Try again later.")
      }
      guard response.status == 200 else {
        throw NumberFactError(
          message: "The fact service has no fact about \(number): it responded with status \(response.status).")
      }
      guard let fact = String(validating: response.body, as: UTF8.self), !fact.isEmpty else {
        throw NumberFactError(message: "The fact service responded with something that is not text.")
      }
      return fact
    }
  }
}
