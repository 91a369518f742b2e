import Deploy
import StoreHub

@main
struct DeployHub: HubService {
  static let description = ServiceDescription(
    "deployhub",
    options: [
      ServiceOption(
        "lease", argument: "SECONDS", "the time after which a worker that is silent loses its job; default: 10")
    ])

  let initialState = Deploy.State()
  private var leaseTime = Duration.seconds(10)

  mutating func configure(_ options: ServiceOptions) throws(ServiceOptionError) {
    guard let text = options["lease"] else { return }
    guard let seconds = Double(text), seconds >= 0.1, seconds <= 86_400 else {
      throw ServiceOptionError("--lease needs seconds from 0.1 to 86400, not '\(text)'")
    }
    leaseTime = .seconds(seconds)
  }

  var body: some ReducerOf<Deploy> { Deploy(leaseTime: leaseTime) }
}
