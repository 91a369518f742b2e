// HubCore
