import EventLoop
import Features
import Foundation
import HTTPClient
import Testing
import storehubd

@Suite(.serialized, .timeLimit(.minutes(30))) struct HTTPClientTests {
  /// Runs a request to its end on a loop.
  private func ask<Answer: Sendable>(
    _ question: @escaping @MainActor (HTTPClient, String) async throws -> Answer
  ) async throws -> Result<Answer, any Error> {
    let server = try WebServer()
    let loop = try EventLoop()
    let client = try HTTPClient(loop: loop)
    var result: Result<Answer, any Error>?
    let task = Task {
      do { result = .success(try await question(client, server.url)) } catch { result = .failure(error) }
    }
    defer { server.stop() }
    guard await loop.pump(until: { result != nil }) else {
      // The loop no longer runs, so waiting for the task would never end.
      task.cancel()
      throw NoAnswer()
    }
    await task.value
    return try #require(result)
  }

  @Test func anAnswerComesWithStatusAndBody() async throws {
    let answer = try await ask { try await $0.get($1 + "/ok", timeout: .seconds(300)) }.get()
    #expect(answer.status == 200)
    #expect(answer.body == Array("fine".utf8))
  }

  @Test func aRedirectIsFollowed() async throws {
    #expect(try await ask { try await $0.get($1 + "/redirect", timeout: .seconds(300)) }.get().status == 200)
  }

  @Test func aMissingPageIsAnAnswerToo() async throws {
    #expect(try await ask { try await $0.get($1 + "/missing", timeout: .seconds(300)) }.get().status == 404)
  }

  @Test func aSlowServerIsGivenUp() async throws {
    let result = try await ask { try await $0.get($1 + "/slow", timeout: .milliseconds(200)) }
    #expect(throws: HTTPError.timedOut(after: .milliseconds(200))) { try result.get() }
  }

  @Test func aLargeAnswerIsRefused() async throws {
    let result = try await ask { try await $0.get($1 + "/large", timeout: .seconds(300), limit: 1000) }
    #expect(throws: HTTPError.tooLarge(limit: 1000)) { try result.get() }
  }

  @Test(arguments: [
    "file:///etc/hostname", "gopher://127.0.0.1/", "", "http//", "nonsense", "http://", "http:///path", "http:/host",
    "http://:80/", "http://host:99999/", "http://a b/", "http://host\u{0}/", "https://",
  ])
  func onlyWebAddressesAreAsked(url: String) async throws {
    #expect(throws: HTTPError.self) { try WebAddress(url) }
    let result = try await ask { client, _ in try await client.get(url, timeout: .seconds(1)) }
    guard case .failure(HTTPError.badURL(url, _)) = result else {
      Issue.record("'\(url)' was taken for a web address: \(result)")
      return
    }
  }

  @Test(arguments: [
    "http://localhost", "https://example.org:8443/facts/", "HTTP://127.0.0.1:80/a?b#c", "http://[::1]/",
  ])
  func webAddressesAreTaken(url: String) throws {
    let address = try WebAddress(url)
    #expect(address.url == url)
    #expect(address.hasQueryOrFragment == url.contains("?"))
  }

  @Test func nobodyListening() async throws {
    let result = try await ask { client, _ in try await client.get("http://127.0.0.1:1/", timeout: .seconds(300)) }
    guard case .failure(HTTPError.transport(let words)) = result else {
      Issue.record("a refused connection is a transport error, not \(result)")
      return
    }
    #expect(!words.isEmpty)
  }

  @Test func aCancelledQuestionEndsAtOnce() async throws {
    let result = try await ask { client, url in
      let task = Task { try await client.get(url + "/slow", timeout: .seconds(300)) }
      await Task.yield()
      task.cancel()
      return try await task.value
    }
    #expect(throws: CancellationError.self) { try result.get() }
  }

  @Test func manyQuestionsAtOnceAreAnswered() async throws {
    let answers = try await ask { client, url in
      let questions = (0..<20).map { _ in
        Task { try await client.get(url + "/ok", timeout: .seconds(300)).status }
      }
      var statuses: [Int] = []
      for question in questions { statuses.append(try await question.value) }
      return statuses
    }.get()
    #expect(answers == Array(repeating: 200, count: 20))
  }

  @Test func aServiceGivesFactsInItsOwnWords() async throws {
    let fact = try await ask { try await NumberFactClient.service(at: $1, over: $0, timeout: .seconds(300)).fetch(42) }
      .get()
    #expect(fact == "42 is served.")
  }

  @Test func aServiceWithoutAnAnswerSaysWhy() async throws {
    let missing = try await ask {
      try await NumberFactClient.service(at: $1 + "/no/such", over: $0, timeout: .seconds(300)).fetch(42)
    }
    let error = #expect(throws: NumberFactError.self) { try missing.get() }
    #expect(try #require(error).message.contains("404"))

    let refused = try await ask { client, _ in
      try await NumberFactClient.service(at: "http://127.0.0.1:1", over: client, timeout: .seconds(300)).fetch(1)
    }
    #expect(throws: NumberFactError.self) { try refused.get() }
  }
}

private struct NoAnswer: Error {}
