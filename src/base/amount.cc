#include "base/amount.h"

#include <string>

namespace pale {
namespace {

std::unexpected<Error> too_much(const Measure& measure, std::string_view name, std::string_view given) {
  return fail(ErrorKind::Usage, std::string(name) + " is " + std::string(measure.most_text) + " at most, not",
              std::string(given), std::string(name) + " " + std::string(measure.example));
}

}  // namespace

Status check_amount(const Measure& measure, std::string_view name, std::uint64_t amount) {
  if (amount == 0)
    return fail(ErrorKind::Usage, "a limit of nothing:", std::string(name), "leave it out, for no limit");
  return amount > measure.most ? too_much(measure, name, std::to_string(amount)) : Status();
}

Result<std::uint64_t> parse_amount(const Measure& measure, std::string_view name, std::string_view text) {
  const auto amount = measure.read(text);
  if (!amount || *amount == 0)
    return fail(ErrorKind::Usage, "not a value for " + std::string(name) + ":", "'" + std::string(text) + "'",
                std::string(name) + " " + std::string(measure.example));
  if (*amount > measure.most) return too_much(measure, name, "'" + std::string(text) + "'");
  return *amount;
}

}  // namespace pale
