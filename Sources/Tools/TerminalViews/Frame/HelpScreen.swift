import Terminal
internal import TerminalUI

/// The help for a screen's keys, drawn over that screen.
nonisolated enum HelpScreen {
  /// The keys and their meanings: those of the screen, then those of all screens.
  static func box(_ tab: Screens.Tab) -> PairsBox {
    let pairs =
      own(tab) + [
        ("", ""), ("tab, 1 2 3 …", "another screen"), ("u, U", "undo what you did last on this screen; redo it"),
        ("^L", "draw anew"), ("^Z", "suspend"), ("q, ^D, ^C", "quit"), ("", ""),
        ("pending, ~", "not acknowledged by the hub yet"),
      ]
    return PairsBox(title: "Keys: \(tab)", pairs: pairs.map { PairsBox.Pair($0.0, $0.1) })
  }

  private static func own(_ tab: Screens.Tab) -> [(keys: String, meaning: String)] {
    let list = [
      ("↑ ↓, j k, wheel", "choose"), ("page up, down, g G", "a screenful, the ends"), ("/", "search"),
      ("n N", "the next match, the one before"), ("esc", "matches are no longer highlighted"),
    ]
    switch tab {
    case .counter:
      return [
        ("+ ↑, - ↓", "count up and down"), ("f", "a fact about the number"), ("t", "start or stop the timer"),
        ("d, esc", "dismiss a message"),
      ]
    case .todos:
      return [
        ("a", "add"), ("e, enter", "edit"), ("space, x", "done (sorted last), or not"),
        ("d", "delete"),
        ("J K", "move down, up"),
        ("f", "what is shown: all, active, completed"), ("c", "clear what is completed"),
      ] + list
    case .favourites:
      return [
        ("+ ↑, - ↓", "another number"), ("space", "a favourite, or not"), ("f", "a fact about the number"),
        ("l, enter", "list of favourites; enter goes there"), ("d", "delete, in the list"), ("esc", "back"),
      ]
    case .presence:
      return [("enter", "all about a client")] + list
    case .activity:
      return [
        ("enter", "who sent an action, when, and what it changed"),
        ("f", "filter: all words must occur; those with a minus must not, as in -timerTicked"),
        ("-", "hide all actions with the name of the chosen one"), ("esc", "show all actions again"),
      ] + list
    }
  }
}
