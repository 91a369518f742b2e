internal import ConcurrencyExtras
public import EffectStreams
public import Foundation
public import FoundationNetworking

extension JSONDecoder: TopLevelDecoder {}

extension URLSession {
  /// The answer to a request, as a stream of one value. The request is cancelled with the subscription.
  public func dataTaskPublisher(for request: URLRequest) -> AnyPublisher<(data: Data, response: URLResponse), URLError>
  {
    AnyPublisher { observer in
      let task = self.dataTask(with: request) { data, response, error in
        if let data, let response, error == nil {
          observer.send((data, response))
          observer.send(completion: .finished)
        } else {
          observer.send(completion: .failure(error as? URLError ?? URLError(.unknown)))
        }
      }
      observer.onEnd { task.cancel() }
      task.resume()
    }
  }

  /// The answer to a request for an address, as a stream of one value.
  public func dataTaskPublisher(for url: URL) -> AnyPublisher<(data: Data, response: URLResponse), URLError> {
    dataTaskPublisher(for: URLRequest(url: url))
  }
}

extension NotificationCenter {
  /// The notifications of a name, as a stream that does not end.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> AnyPublisher<Notification, Never> {
    AnyPublisher { observer in
      let token = self.addObserver(forName: name, object: object, queue: nil) { observer.send($0) }
      observer.keep(AnyCancellable { [token = UncheckedSendable(token)] in self.removeObserver(token.value) })
    }
  }
}
