// Gives up the memory of code that only the start of a program needed.
//
// The system maps 64 KiB of a program or library around each place that is used, and keeps them while there is memory:
// after a start, with its TLS handshakes, configuration and lists, most of every library counts as resident although
// hardly any of it runs again. Dropping these pages costs nothing that could be lost. They are in the page cache as
// before, and what runs is mapped again at its next use, within microseconds; the rest is then what the system takes
// first when memory is short.
#pragma once

#include <cstddef>

#include "keelson/core/stop_token.h"

namespace keelson::internal {

// Unmaps the pages of code and constants of this program and its libraries that are as they are in their files. A page
// that was changed (by a debugger's breakpoint) or locked (mlockall) stays. Gives how many bytes were resident. Safe at
// any time and on any thread. Does nothing in a simulation, and where the system does not tell which pages were
// changed.
size_t DropUnchangedCode();

// Does so a second from now, when a program's threads have made their connections, and every ten minutes, because what
// is rare (a relist, another leader, a new certificate) comes again. Returns when stop is requested, in a simulation at
// once.
void KeepDroppingUnchangedCode(const StopToken& stop);

}  // namespace keelson::internal
