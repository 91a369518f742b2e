/// The version of every program in this package.
package let storeHubVersion = "0.1.0"
