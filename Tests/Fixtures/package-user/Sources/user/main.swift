import ComposableArchitecture

@ViewAction(for: Feature.self)
@MainActor struct Screen {
  let store: StoreOf<Feature>

  func use() async {
    send(.incrementButtonTapped)
    send(.settingsButtonTapped)
    store.scope(state: \.destination?.settings, action: \.destination.settings)?.send(.toggled)
    await send(.factButtonTapped).finish()
  }
}

let screen = Screen(store: Store(initialState: Feature.State()) { Feature() })
await screen.use()
print(screen.store.fact ?? "no fact", screen.store.destination?.settings?.isOn ?? false)
print(Shape.circle(radius: 3).circle ?? 0, Shape.circle(radius: 3).square == nil)
