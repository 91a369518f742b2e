import CustomDump
import Foundation
import Testing

@Suite struct FoundationTests {
  @Test func values() throws {
    #expect(dumped(Date(timeIntervalSince1970: 0)) == "Date(1970-01-01T00:00:00.000Z)")
    #expect(dumped(Date(timeIntervalSince1970: 0.5)) == "Date(1970-01-01T00:00:00.500Z)")
    let id = try #require(UUID(uuidString: "deadbeef-dead-beef-dead-beefdeadbeef"))
    #expect(dumped(id) == "UUID(DEADBEEF-DEAD-BEEF-DEAD-BEEFDEADBEEF)")
    #expect(dumped(URL(string: "https://example.com/a") as Any) == "URL(https://example.com/a)")
    #expect(dumped(Data(count: 4)) == "Data(4 bytes)")
    #expect(dumped(Data(count: 1)) == "Data(1 byte)")
    #expect(dumped(Decimal(string: "1.23") as Any) == "1.23")
    #expect(dumped(Locale(identifier: "en_US")) == "Locale(en_US)")
    #expect(dumped(NSRange(1..<3)) == "1..<3")
    #expect(dumped(AttributedString("Hello")) == "\"Hello\"")
    #expect(dumped(["a": Date(timeIntervalSince1970: 0)], maxDepth: 1).contains("\"a\": Date(1970"))
  }

  @Test func fieldsOfValuesStayOnTheirLine() {
    #expect(
      dumped(Box<Date?>(value: Date(timeIntervalSince1970: 0))) == "Box(value: Date(1970-01-01T00:00:00.000Z))")
    #expect(
      diff(Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1)) == """
        - Date(1970-01-01T00:00:00.000Z)
        + Date(1970-01-01T00:00:01.000Z)
        """)
  }

  @Test func calendars() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    calendar.locale = Locale(identifier: "en_US")
    #expect(
      dumped(calendar) == """
        Calendar(
          identifier: .gregorian,
          locale: Locale(en_US),
          timeZone: TimeZone(
            identifier: "GMT",
            abbreviation: "GMT",
            secondsFromGMT: 0,
            isDaylightSavingTime: false
          ),
          firstWeekday: 1,
          minimumDaysInFirstWeek: 1
        )
        """)
  }

  @Test func componentsThatAreSet() {
    #expect(
      dumped(DateComponents(year: 2024, month: 2)) == """
        DateComponents(
          year: 2024,
          month: 2
        )
        """)
    #expect(
      diff(DateComponents(year: 2024, month: 2), DateComponents(year: 2024, month: 3)) == """
          DateComponents(
            year: 2024,
        -   month: 2
        +   month: 3
          )
        """)
    #expect(
      dumped(URLComponents(string: "https://example.com/login?to=home") as Any) == """
        URLComponents(
          scheme: "https",
          host: "example.com",
          path: "/login",
          queryItems: [
            [0]: URLQueryItem(
              name: "to",
              value: "home"
            )
          ]
        )
        """)
  }

  @Test func measurementsAndIndices() {
    #expect(
      dumped(Measurement(value: 42, unit: UnitMass.kilograms)) == """
        Measurement(
          value: 42.0,
          unit: "kg"
        )
        """)
    #expect(
      dumped(IndexSet([1, 2, 3, 5])) == """
        IndexSet(
          ranges: [
            [0]: 1..<4,
            [1]: 5..<6
          ]
        )
        """)
  }

  @Test func errors() {
    #expect(
      dumped(NSError(domain: "co.example", code: 42, userInfo: [NSLocalizedDescriptionKey: "An error"])) == """
        NSError(
          domain: "co.example",
          code: 42,
          userInfo: [
            "NSLocalizedDescription": "An error"
          ]
        )
        """)
    struct Failure: LocalizedError {
      var reason: String
      var errorDescription: String? { "It failed" }
    }
    #expect(dumped(Failure(reason: "none")) == "FoundationTests.Failure(reason: \"none\")")
    #expect(dumped(Result<Int, any Error>.failure(CancellationError())) == "Result.failure(CancellationError())")
  }

  @Test func objectsDumpAsWhatTheyStandFor() {
    #expect(dumped(NSString("Hello")) == "\"Hello\"")
    #expect(dumped(NSNumber(value: 1)) == "1")
    #expect(dumped(NSNull()) == "NSNull()")
    #expect(dumped(NSDate(timeIntervalSince1970: 0)) == "Date(1970-01-01T00:00:00.000Z)")
    #expect(dumped(NSData(data: Data(count: 4))) == "Data(4 bytes)")
    #expect(dumped(NSUUID()).hasPrefix("UUID("))
    #expect(dumped(NSArray(array: [1, 2])) == dumped([1, 2]))
    #expect(dumped(NSSet(array: [1, 2])) == dumped(Set([1, 2])))
    #expect(dumped(NSDictionary(dictionary: ["a": 1])) == dumped(["a": 1]))
    #expect(dumped(NSObject()) == "NSObject()")
  }
}
