// StoreHub
