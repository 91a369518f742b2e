print("storehubd")
