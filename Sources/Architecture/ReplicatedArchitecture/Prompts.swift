public import ComposableCore
public import Wire

// The identities of prompts and buttons are not encoded: they are not part of equality and meaningless elsewhere.

extension ButtonState: WireValue where Action: WireValue {
  /// Writes `[role, action, label]`: null, 0 for cancel or 1 for destructive; the optional action; the text.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    switch role {
    case nil: encoder.null()
    case .cancel: encoder.enumCase(0)
    case .destructive: encoder.enumCase(1)
    }
    action.action.encode(to: &encoder)
    label.encode(to: &encoder)
  }

  /// Reads a button.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    let start = decoder.offset
    let role: ButtonStateRole?
    if try decoder.null() {
      role = nil
    } else {
      switch try decoder.unsigned() {
      case 0: role = .cancel
      case 1: role = .destructive
      case let key: throw WireError(.unknownCase(key, type: "ButtonStateRole"), at: start)
      }
    }
    let action = try Action?(from: &decoder)
    let label = try TextState(from: &decoder)
    self.init(role: role, action: .send(action), label: { label })
  }

  /// A button and its action's type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("ButtonState", [Action.schema(in: &builder)])
  }
}

extension ButtonState: Replicated where Action: Replicated {
  /// Returns true if the appearance or the action of two buttons differs.
  public func differs(from base: Self) -> Bool {
    role != base.role || action.action.differs(from: base.action.action) || label.differs(from: base.label)
  }
}

extension AlertState: WireValue where Action: WireValue {
  /// Writes `[title, message, buttons]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    title.encode(to: &encoder)
    message.encode(to: &encoder)
    buttons.encode(to: &encoder)
  }

  /// Reads an alert.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    let (title, message) = (try TextState(from: &decoder), try TextState?(from: &decoder))
    self.init(title: title, message: message, buttons: try decoder.value())
  }

  /// An alert and its actions' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("AlertState", [Action.schema(in: &builder)])
  }
}

extension AlertState: Replicated where Action: Replicated {
  /// Returns true if the texts or buttons of two alerts differ.
  public func differs(from base: Self) -> Bool {
    title.differs(from: base.title) || message.differs(from: base.message) || buttons.differs(from: base.buttons)
  }
}

extension ConfirmationDialogState: WireValue where Action: WireValue {
  /// Writes `[title visibility, title, message, buttons]`; the visibility is 0 (automatic), 1 (hidden) or 2 (visible).
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 4)
    switch titleVisibility {
    case .automatic: encoder.enumCase(0)
    case .hidden: encoder.enumCase(1)
    case .visible: encoder.enumCase(2)
    }
    title.encode(to: &encoder)
    message.encode(to: &encoder)
    buttons.encode(to: &encoder)
  }

  /// Reads a dialog.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(4)
    let start = decoder.offset
    let visibility: ConfirmationDialogStateTitleVisibility
    switch try decoder.unsigned() {
    case 0: visibility = .automatic
    case 1: visibility = .hidden
    case 2: visibility = .visible
    case let key: throw WireError(.unknownCase(key, type: "ConfirmationDialogStateTitleVisibility"), at: start)
    }
    let (title, message) = (try TextState(from: &decoder), try TextState?(from: &decoder))
    self.init(title: title, titleVisibility: visibility, message: message, buttons: try decoder.value())
  }

  /// A dialog and its actions' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("ConfirmationDialogState", [Action.schema(in: &builder)])
  }
}

extension ConfirmationDialogState: Replicated where Action: Replicated {
  /// Returns true if the texts or buttons of two dialogs differ.
  public func differs(from base: Self) -> Bool {
    titleVisibility != base.titleVisibility || title.differs(from: base.title)
      || message.differs(from: base.message) || buttons.differs(from: base.buttons)
  }
}
