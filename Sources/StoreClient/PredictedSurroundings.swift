internal import Dependencies
internal import Senders
internal import Wire

/// The surroundings of the hub's reducer while it predicts an action: as the hub's own for this client, except for the
/// time, which is the machine's until the hub has answered.
final class PredictedSurroundings {
  private var client: HubClient?
  private var randomness: ActionRandomness?
  private var settings = RegionalSettings.standard
  /// Those of the settings, or the standard ones if this program does not know them.
  private var region = RegionalValues.standard
  private lazy var surroundings = ReducerSurroundings(
    sender: { [unowned self] in client.map { .client($0) } ?? .local(.current) },
    random: { [unowned self] in randomness?.next() },
    region: { [unowned self] in region })

  /// Predicts an action.
  ///
  /// - Parameters:
  ///   - client: This client as the hub sees it; nil if it is not known yet.
  ///   - randomness: The random numbers of the action; nil for the machine's, if they are not known yet.
  ///   - settings: The calendar, the time zone and the locale of the hub's reducer.
  func surround<Result>(
    as client: HubClient?, _ randomness: ActionRandomness?, _ settings: RegionalSettings, _ operation: () -> Result
  ) -> Result {
    if settings != self.settings {
      self.settings = settings
      region =
        (try? RegionalValues(calendar: settings.calendar, timeZone: settings.timeZone, locale: settings.locale))
        ?? .standard
    }
    (self.client, self.randomness) = (client, randomness)
    return surroundings.surround(operation)
  }
}
