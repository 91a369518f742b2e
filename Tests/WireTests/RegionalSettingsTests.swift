import Testing
import Wire

/// The calendar, the time zone and the locale of a hub, in the welcome and in turns.
@Suite struct RegionalSettingsTests {
  private func roundTrip(_ settings: RegionalSettings, _ notation: String) throws {
    let bytes = settings.encoded()
    #expect(try CBORValue(decoding: bytes.span.bytes).description == notation)
    #expect(try RegionalSettings(decoding: bytes.span.bytes) == settings)
  }

  @Test func onlyWhatDiffersFromTheStandardIsWritten() throws {
    try roundTrip(.standard, "{}")
    try roundTrip(RegionalSettings(timeZone: "Europe/Berlin"), "{2: \"Europe/Berlin\"}")
    try roundTrip(
      RegionalSettings(calendar: "iso8601", timeZone: "GMT+02:00", locale: "de_DE"),
      "{1: \"iso8601\", 2: \"GMT+02:00\", 3: \"de_DE\"}")
  }

  @Test func unknownFieldsAreSkippedAndLongNamesRefused() throws {
    let later: [UInt8] = [0xa2, 0x03, 0x62, 0x64, 0x65, 0x07, 0x01]
    #expect(try RegionalSettings(decoding: later.span.bytes) == RegionalSettings(locale: "de"))
    let long = RegionalSettings(timeZone: String(repeating: "x", count: 129)).encoded()
    #expect(throws: WireError.self) { try RegionalSettings(decoding: long.span.bytes) }
  }

  @Test func aWelcomeHasThoseThatAreNotTheStandard() throws {
    func welcome(_ region: RegionalSettings) -> Welcome {
      Welcome(
        version: 1, session: SessionID(high: 1, low: 2), isResumed: false, processed: 0, payloadLimit: 100, hub: "hub",
        region: region)
    }
    let (usual, other) = (welcome(.standard), welcome(RegionalSettings(timeZone: "Asia/Tokyo")))
    #expect(try Welcome(decoding: usual.encoded().span.bytes) == usual)
    #expect(try Welcome(decoding: other.encoded().span.bytes) == other)
    #expect(try CBORValue(decoding: other.encoded().span.bytes).description.hasSuffix("16: {2: \"Asia/Tokyo\"}}"))
    #expect(try !CBORValue(decoding: usual.encoded().span.bytes).description.contains("16:"))
  }
}
