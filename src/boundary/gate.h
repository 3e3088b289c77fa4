// boundary/gate.h: where inside the proxy of an allow-list is found. The network there is private, so the numbers can be fixed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "boundary/boundary.h"

namespace pale {

// Below 1024: nothing inside can have bound it. None that browsers, and fetch() of Node, refuse to connect to.
inline constexpr std::uint16_t kProxyPort = 911;
inline constexpr std::uint16_t kFirstDoor = 912;
inline constexpr std::uint16_t kMostDoors = 64;
inline constexpr std::uint16_t kNamePort = 53;
inline constexpr std::uint16_t kFirstUnprivilegedPort = 1024;

// Names have addresses of their own inside, from a range that no host of the internet has (RFC 2544): whoever knows no proxy
// connects to one, and what is meant is known by it. The first half is for names of the list, the second for what "*." lets through.
inline constexpr std::uint32_t kFirstStandIn = 0xc6120001;       // 198.18.0.1
inline constexpr std::uint32_t kFirstLaterStandIn = 0xc6130001;  // 198.19.0.1
inline constexpr std::uint32_t kLastStandIn = 0xc613fffe;
inline constexpr std::uint32_t kStandIns = 0xc6120000;
inline constexpr unsigned kStandInBits = 15;

// Of each name of the list, in its order.
std::vector<std::pair<std::string, Address>> stand_ins(const std::vector<HostRule>& rules);

}  // namespace pale
