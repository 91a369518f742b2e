print("storeterm")
