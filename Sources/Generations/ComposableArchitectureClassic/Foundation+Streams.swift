internal import CombineSchedulers
internal import ConcurrencyExtras
public import EffectStreams
public import Foundation
public import FoundationNetworking

extension JSONDecoder: TopLevelDecoder {}

extension URLSession {
  /// Returns a stream of the response to a request. Cancelling the subscription cancels the request.
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

  /// Returns a stream of the response to a request for a URL.
  public func dataTaskPublisher(for url: URL) -> AnyPublisher<(data: Data, response: URLResponse), URLError> {
    dataTaskPublisher(for: URLRequest(url: url))
  }
}

extension Timer {
  /// A stream of the time at an interval, which starts with a subscription to its `autoconnect()`.
  public struct TimerPublisher: Sendable {
    let interval: TimeInterval

    /// Returns a stream that starts with its first subscription and ends with its last.
    public func autoconnect() -> AnyPublisher<Date, Never> {
      AnyPublisher<DispatchQueue.SchedulerTimeType, Never>.timer(
        every: .seconds(interval), tolerance: nil, on: DispatchQueue.main, options: nil
      )
      .map { _ in Date() }.share()
    }
  }

  /// Returns a stream of the time at an interval, always on the main queue; the run loop is ignored.
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode
  ) -> TimerPublisher {
    TimerPublisher(interval: interval)
  }
}

extension NotificationCenter {
  /// Returns a stream of the notifications with a name. The stream does not end.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> AnyPublisher<Notification, Never> {
    AnyPublisher { observer in
      let token = self.addObserver(forName: name, object: object, queue: nil) { observer.send($0) }
      observer.keep(AnyCancellable { [token = UncheckedSendable(token)] in self.removeObserver(token.value) })
    }
  }
}
