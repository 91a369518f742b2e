import FeatureCore

/// The part of a hub in its log.
enum HubRole {
  /// No other hub shares the log.
  case alone
  /// The hub reduces actions and appends turns.
  case leader(LeadingHub)
  /// Another hub of the log leads, or none at the moment. This one applies the leader's turns, and passes its clients'
  /// actions on.
  case follower(FollowingHub)
}

/// A hub that leads.
struct LeadingHub {
  /// The sessions after the last stored turn.
  let sessions: StoredSessions
  var effects = Effects.waiting([])

  /// Where the leader is with its effects.
  enum Effects {
    /// Those of the previous leader may still run. The commands wait.
    case waiting([EffectCommand<AnyAction>])
    case running
    /// The leadership was in doubt. The effects begin anew when it is not.
    case cancelled
  }
}

/// A hub that follows.
struct FollowingHub {
  /// The sessions after the last applied turn.
  let sessions: StoredSessions
}

extension HubCore {
  /// True if another hub reduces this one's actions.
  var isFollowing: Bool { if case .follower = role { true } else { false } }

  /// The sessions after the last stored turn of a replicated log.
  var storedSessions: StoredSessions? {
    switch role {
    case .alone: nil
    case .leader(let leader): leader.sessions
    case .follower(let follower): follower.sessions
    }
  }

  /// True if the hub leads other hubs.
  package var isLeading: Bool { if case .leader = role { true } else { false } }
}
