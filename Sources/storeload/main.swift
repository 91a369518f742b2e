print("storeload")
