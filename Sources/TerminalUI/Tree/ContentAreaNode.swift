/// The part of an app's screen over which dialogs and help appear: all but the title and the help line.
final class ContentAreaNode: WrapperNode {}
