// keeper/serve_fixtures.h: a server that has nothing to do with Pale, for the protocol's conformance suites.
#pragma once

namespace pale::keeper {

// On a port of this machine (0: any), whose address is printed once it listens; or, with none (-1), on standard input and output.
int serve_fixtures(int port);

}  // namespace pale::keeper
