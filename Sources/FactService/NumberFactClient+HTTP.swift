public import Features
public import HTTPClient

extension NumberFactClient {
  /// Asks a web service at `URL/NUMBER/trivia`, which answers with one sentence as text.
  ///
  /// A service that cannot be reached, is slow, or answers with anything but 200 and text is an error with a sentence
  /// for people, so that it ends in an alert and never in a hang.
  ///
  /// - Parameters:
  ///   - url: The service, without a slash at its end.
  ///   - http: Asks.
  ///   - timeout: How long an answer may take.
  public static func service(at url: String, over http: HTTPClient, timeout: Duration = .seconds(5)) -> NumberFactClient
  {
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    return NumberFactClient { number in
      let response: HTTPResponse
      do {
        response = try await http.get("\(base)/\(number)/trivia", timeout: timeout, limit: 4096)
      } catch let error as HTTPError {
        throw NumberFactError(message: "The service for facts cannot be asked: \(error). Try again later.")
      }
      guard response.status == 200 else {
        throw NumberFactError(
          message: "The service for facts has none about \(number): it answered with status \(response.status).")
      }
      guard let fact = String(validating: response.body, as: UTF8.self), !fact.isEmpty else {
        throw NumberFactError(message: "The service for facts answered with something that is no text.")
      }
      return fact
    }
  }
}
