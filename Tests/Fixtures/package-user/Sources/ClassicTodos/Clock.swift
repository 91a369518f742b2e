import ComposableArchitectureClassic
import Foundation

// A clock that ticks while it is visible, and a socket that answers: long-running effects.

public enum Mode: Equatable { case stopped, running(Clock) }

public struct Clock: Equatable {
  public var seconds = 0
  public var messages: [String] = []
  public init() {}
}

public enum ClockAction: Equatable {
  case onAppear
  case onDisappear
  case ticked
  case socket(SocketClient.Action)
}

public struct SocketClient {
  public enum Action: Equatable { case opened, message(String), closed }
  public var open: (AnyHashable) -> Effect<Action, Never>
  public var close: (AnyHashable) -> Effect<Never, Never>

  public static func live(delegates: Delegates) -> SocketClient {
    SocketClient(
      open: { id in
        Effect.run { subscriber in
          subscriber.send(.opened)
          delegates.all[id] = subscriber
          return AnyCancellable { delegates.all[id] = nil }
        }
      },
      close: { id in
        .fireAndForget {
          delegates.all[id]?.send(.closed)
          delegates.all[id]?.send(completion: .finished)
        }
      })
  }

  public final class Delegates: @unchecked Sendable {
    public var all: [AnyHashable: Effect<Action, Never>.Subscriber] = [:]
    public init() {}
  }
}

public struct ClockEnvironment {
  public var mainQueue: AnySchedulerOf<DispatchQueue>
  public var socket: SocketClient
  public init(mainQueue: AnySchedulerOf<DispatchQueue>, socket: SocketClient) {
    (self.mainQueue, self.socket) = (mainQueue, socket)
  }
}

public let clockReducer = Reducer<Clock, ClockAction, ClockEnvironment> { state, action, environment in
  enum TimerID {}
  struct SocketID: Hashable {}
  switch action {
  case .onAppear:
    return .merge(
      Effect.timer(id: TimerID.self, every: 1, tolerance: .zero, on: environment.mainQueue).map { _ in .ticked },
      environment.socket.open(SocketID())
        .receive(on: environment.mainQueue)
        .map(ClockAction.socket)
        .eraseToEffect()
        .cancellable(id: SocketID()))
  case .onDisappear:
    return .concatenate(
      environment.socket.close(SocketID()).fireAndForget(), .cancel(id: TimerID.self), .cancel(id: SocketID()))
  case .ticked:
    state.seconds += 1
    return .none
  case let .socket(.message(message)):
    state.messages.append(message)
    return .none
  case .socket:
    return .none
  }
}

public let modeReducer: Reducer<Mode, ClockAction, ClockEnvironment> = .combine(
  clockReducer.pullback(state: /Mode.running, action: .self, environment: { $0 }),
  .init { state, action, _ in
    if action == .onDisappear { state = .stopped }
    return .none
  }
)
