// What Prometheus' own libraries tell about a process: processor time, memory, descriptors, network.
//
//   std::string page = registry.Render() + RenderProcessMetrics();
//
// | process_cpu_seconds_total             | user and system time                                     |
// | process_resident_memory_bytes         | memory in use                                            |
// | process_virtual_memory_bytes          | address space in use                                     |
// | process_virtual_memory_max_bytes      | its limit; 2^64: none                                    |
// | process_open_fds, process_max_fds     | descriptors and their limit                              |
// | process_start_time_seconds            | since 1970                                               |
// | process_network_receive_bytes_total   | of the network namespace, which is the pod's             |
// | process_network_transmit_bytes_total  | the same                                                 |
// | process_threads                       | threads                                                  |
//
// Names and types are those of the Go library, the last one is of the C++ and Rust ones. Read from /proc at the moment
// of the call; what cannot be read is left out.
#pragma once

#include <string>

namespace keelson {

std::string RenderProcessMetrics();

}  // namespace keelson
