/// The part of an app's screen over which dialogs and help appear: all but the title and the help line.
final class ContentAreaNode: WrapperNode {
  override func heightNeed(width: Int) -> Need {
    let need = super.heightNeed(width: width)
    // The help line below it shows messages as well.
    return Need(minimum: min(need.minimum, 1), ideal: need.ideal, grows: need.grows)
  }
}
