#include "proxy/name_message.h"

#include <algorithm>

#include "proxy/bytes.h"

namespace pale::proxy {
namespace {

constexpr std::size_t kHead = 12;
constexpr std::size_t kMostMessage = 512;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestLabel = 63;
constexpr int kMostJumps = 32;
constexpr std::uint16_t kTypeAlias = 5;
constexpr std::uint32_t kAnswerBit = 0x8000;
constexpr std::uint32_t kOperation = 0x7800;
constexpr std::uint32_t kCutBit = 0x0200;
constexpr std::uint32_t kRecursionWanted = 0x0100;
constexpr std::uint32_t kRecursionOffered = 0x0080;
constexpr std::uint32_t kSeconds = 60;

void put(std::string& out, std::uint32_t number, std::size_t size) {
  for (std::size_t at = size; at > 0; --at) out += static_cast<char>(number >> (8 * (at - 1)) & 0xffU);
}

bool is_plain(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' ||
         byte == '_';
}

struct ReadName {
  std::string name;   // in lower case; empty if `plain` is not so
  bool plain = true;  // no label holds anything that a host's name has not
  std::size_t end = 0;
};

// From `at` of the whole message, since it may point elsewhere in it.
std::optional<ReadName> read_name(std::string_view message, std::size_t at) {
  ReadName read;
  int jumps = 0;
  while (at < message.size()) {
    const auto length = static_cast<unsigned char>(message[at]);
    if (length >= 0xc0) {
      if (at + 1 >= message.size() || ++jumps > kMostJumps) return std::nullopt;
      if (read.end == 0) read.end = at + 2;
      at = (length & 0x3fU) << 8U | static_cast<unsigned char>(message[at + 1]);
      continue;
    }
    if (length > kLongestLabel || at + 1 + length > message.size()) return std::nullopt;
    const std::string_view label = message.substr(at + 1, length);
    at += 1U + length;
    if (length == 0) {
      if (read.end == 0) read.end = at;
      if (!read.plain) read.name.clear();
      return read;
    }
    if (read.name.size() + length + 1 > kLongestName) return std::nullopt;
    read.plain = read.plain && std::ranges::all_of(label, is_plain);
    if (!read.name.empty()) read.name += '.';
    for (const char byte : label) read.name += static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
  }
  return std::nullopt;
}

struct Record {
  std::string name;
  std::uint16_t type = 0;
  std::uint16_t klass = 0;
  std::size_t data = 0;  // where it begins in the message
  std::size_t size = 0;
};

std::optional<Record> read_record(std::string_view message, std::size_t& at) {
  const auto name = read_name(message, at);
  if (!name) return std::nullopt;
  Bytes bytes(message.substr(name->end));
  Record record{name->name, static_cast<std::uint16_t>(bytes.number(2)), static_cast<std::uint16_t>(bytes.number(2))};
  bytes.take(4);
  record.size = bytes.number(2);
  record.data = name->end + 10;
  bytes.take(record.size);
  if (!bytes.good()) return std::nullopt;
  at = record.data + record.size;
  return record;
}

std::optional<Address> address_in(std::string_view message, const Record& record, std::uint16_t type) {
  const std::size_t size = type == kTypeA ? 4 : 16;
  if (record.type != type || record.klass != kClassInternet || record.size != size) return std::nullopt;
  Address address{type == kTypeA ? Address::Family::V4 : Address::Family::V6, {}};
  for (std::size_t at = 0; at < size; ++at) address.bytes[at] = static_cast<std::uint8_t>(message[record.data + at]);
  return address;
}

// Aliases may stand in any order.
std::vector<Address> addresses_of(std::string_view message, const std::vector<Record>& records, std::string name,
                                  std::uint16_t type) {
  for (int jumps = 0; jumps < kMostJumps; ++jumps) {
    const auto alias = std::ranges::find_if(records, [&](const Record& record) {
      return record.type == kTypeAlias && record.klass == kClassInternet && record.name == name;
    });
    if (alias == records.end()) break;
    const auto target = read_name(message, alias->data);
    if (!target || target->name.empty()) return {};
    name = target->name;
  }
  std::vector<Address> addresses;
  for (const Record& record : records) {
    const auto address = address_in(message, record, type);
    if (address && record.name == name) addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace

std::optional<NameQuestion> parse_question(std::string_view message) {
  Bytes head(message);
  NameQuestion question;
  question.id = static_cast<std::uint16_t>(head.number(2));
  const std::uint32_t flags = head.number(2);
  const std::uint32_t count = head.number(2);
  head.take(6);
  if (!head.good() || (flags & kAnswerBit) != 0 || count != 1) return std::nullopt;
  const auto name = read_name(message, kHead);
  if (!name) return std::nullopt;
  Bytes rest(message.substr(name->end));
  question.recursion = (flags & kRecursionWanted) != 0;
  question.standard = (flags & kOperation) == 0;
  question.name = name->name;
  question.type = static_cast<std::uint16_t>(rest.number(2));
  question.klass = static_cast<std::uint16_t>(rest.number(2));
  if (!rest.good()) return std::nullopt;
  question.asked = std::string(message.substr(kHead, name->end + 4 - kHead));
  return question;
}

std::string answer_to(const NameQuestion& question, NameCode code, const std::vector<Address>& addresses) {
  const auto family = question.type == kTypeA ? Address::Family::V4 : Address::Family::V6;
  const std::size_t size = question.type == kTypeA ? 4 : 16;
  const bool has_addresses = question.type == kTypeA || question.type == kTypeAaaa;
  std::string records;
  std::uint32_t count = 0;
  for (const Address& address : addresses) {
    if (!has_addresses || address.family != family) continue;
    if (kHead + question.asked.size() + records.size() + 12 + size > kMostMessage) break;
    put(records, 0xc000U | kHead, 2);
    put(records, question.type, 2);
    put(records, kClassInternet, 2);
    put(records, kSeconds, 4);
    put(records, static_cast<std::uint32_t>(size), 2);
    records.append(reinterpret_cast<const char*>(address.bytes.data()), size);
    ++count;
  }
  std::string message;
  put(message, question.id, 2);
  put(message,
      kAnswerBit | kRecursionOffered | (question.recursion ? kRecursionWanted : 0) | static_cast<std::uint32_t>(code),
      2);
  put(message, 1, 2);
  put(message, count, 2);
  put(message, 0, 4);
  return message + question.asked + records;
}

std::string question_for(std::uint16_t id, std::string_view name, std::uint16_t type) {
  std::string message;
  put(message, id, 2);
  put(message, kRecursionWanted, 2);
  put(message, 1, 2);
  put(message, 0, 2);
  put(message, 0, 4);
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    message += static_cast<char>(dot);
    message += name.substr(0, dot);
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  message += '\0';
  put(message, type, 2);
  put(message, kClassInternet, 2);
  return message;
}

std::optional<NameAnswer> parse_answer(std::string_view message, std::uint16_t id, std::string_view name,
                                       std::uint16_t type) {
  Bytes head(message);
  const bool same = head.number(2) == id;
  const std::uint32_t flags = head.number(2);
  const std::uint32_t questions = head.number(2);
  const std::uint32_t answers = head.number(2);
  head.take(4);
  if (!head.good() || !same || (flags & kAnswerBit) == 0 || questions != 1) return std::nullopt;
  const auto asked = read_name(message, kHead);
  if (!asked || asked->name != name) return std::nullopt;
  Bytes kind(message.substr(asked->end));
  if (kind.number(2) != type || kind.number(2) != kClassInternet || !kind.good()) return std::nullopt;
  NameAnswer answer{static_cast<NameCode>(flags & 0xfU), (flags & kCutBit) != 0, {}};
  std::vector<Record> records;
  std::size_t at = asked->end + 4;
  for (std::uint32_t left = answers; left > 0; --left) {
    auto record = read_record(message, at);
    if (!record) return answer.cut ? std::optional(answer) : std::nullopt;
    records.push_back(std::move(*record));
  }
  answer.addresses = addresses_of(message, records, std::string(name), type);
  return answer;
}

}  // namespace pale::proxy
