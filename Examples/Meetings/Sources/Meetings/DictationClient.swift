import ComposableArchitecture

/// Takes down what is said at the device.
@DependencyClient
struct DictationClient {
  /// Asks for permission to use the microphone.
  var authorize: @Sendable () async -> Bool = { false }
  /// The transcript so far, repeated after each word.
  var transcripts: @Sendable () -> AsyncThrowingStream<String, any Error> = { .finished() }
}

extension DictationClient: DependencyKey {
  /// What a device without speech recognition can do: someone types at its keyboard.
  static let liveValue = Self(
    authorize: { isatty(STDIN_FILENO) == 1 },
    transcripts: {
      AsyncThrowingStream { continuation in
        Thread.detachNewThread {
          var transcript = ""
          while let line = readLine() {
            transcript += transcript.isEmpty ? line : "\n\(line)"
            continuation.yield(transcript)
          }
          continuation.finish()
        }
      }
    })
}

/// Strikes when the next topic begins.
@DependencyClient
struct GongClient {
  var strike: @Sendable () async -> Void
}

extension GongClient: DependencyKey {
  static let liveValue = Self(strike: { print("\u{7}", terminator: "") })
}

extension DependencyValues {
  /// A daemon has neither a keyboard nor a loudspeaker: a client that has them sends what it hears, as
  /// `dictationResult`, and strikes when the topic changes.
  public mutating func useNoDevices() {
    dictation.authorize = { false }
    gong.strike = {}
  }

  var dictation: DictationClient {
    get { self[DictationClient.self] }
    set { self[DictationClient.self] = newValue }
  }

  var gong: GongClient {
    get { self[GongClient.self] }
    set { self[GongClient.self] = newValue }
  }
}
