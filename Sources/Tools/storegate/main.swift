import Gateway
import Glibc
import ProgramOptions

// The gateway of a hub for browsers and remote programs.

let options = gatewayOptions().read { (parsed) throws(UsageError) in try GatewayOptions(parsed) }
exit(GatewayService(options).run())
