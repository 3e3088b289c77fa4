#include "grep/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>

namespace pale::grep {
namespace {

constexpr std::size_t kLongest = 10'000;           // bytes of a pattern
constexpr std::uint32_t kMostSteps = 2'000'000;    // of one match
constexpr std::uint32_t kMostMemory = 64U << 10U;  // kB, of a match that is not compiled for the processor
constexpr std::size_t kFirstStack = 32UL << 10U;
constexpr std::size_t kLargestStack = 1UL << 20U;
constexpr std::string_view kAnyCaseMark = "(?i)";

// Characters beyond ASCII, or a question about characters: then what is matched are characters, not bytes.
bool needs_characters(std::string_view pattern) {
  const bool other = std::ranges::any_of(pattern, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
  constexpr std::string_view kAsking[] = {"\\p", "\\P", "\\X", "\\x{", "\\N{"};
  return other || std::ranges::any_of(kAsking, [&](std::string_view asking) { return pattern.contains(asking); });
}

bool has_newline(std::string_view pattern, search::Syntax syntax) {
  if (pattern.find('\n') != std::string_view::npos) return true;
  for (std::size_t at = 0; syntax == search::Syntax::Regex && at + 1 < pattern.size(); ++at) {
    if (pattern[at] != '\\') continue;
    ++at;
    if (pattern[at] == 'n') return true;
  }
  return false;
}

Status check(std::string_view pattern, search::Syntax syntax) {
  if (pattern.size() > kLongest)
    return fail(ErrorKind::Usage, "the pattern is too long:", std::to_string(pattern.size()) + " bytes",
                "at most " + std::to_string(kLongest));
  if (has_newline(pattern, syntax))
    return fail(ErrorKind::Usage, "the pattern has a newline:", "lines are searched one by one",
                "search for one of the lines, with context");
  return {};
}

std::unexpected<Error> bad_pattern(std::string_view pattern, int number, std::size_t at) {
  std::array<PCRE2_UCHAR, 256> message = {};
  pcre2_get_error_message(number, message.data(), message.size());
  return fail(
      ErrorKind::Usage, "the pattern " + std::string(pattern) + " is wrong at column " + std::to_string(at + 1) + ":",
      reinterpret_cast<const char*>(message.data()), "escape special characters with \\, or search for a literal");
}

std::uint32_t options_for(std::string_view pattern, search::Syntax syntax, search::Letters letters) {
  // MULTILINE is for patterns alone: a literal with it is refused.
  std::uint32_t options = syntax == search::Syntax::Literal ? PCRE2_LITERAL : PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  if (letters == search::Letters::AnyCase) options |= PCRE2_CASELESS;
  if (!needs_characters(pattern)) return options;
  if (syntax == search::Syntax::Regex) options |= PCRE2_UCP;
  return options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
}

Shape shape_for(std::string_view pattern, search::Syntax syntax, std::uint32_t options) {
  Shape shape = syntax == search::Syntax::Regex ? shape_of(pattern) : Shape{true, {std::string(pattern)}, true};
  // Some letters beyond ASCII are other cases of its letters.
  if ((options & PCRE2_UTF) != 0 && (options & PCRE2_CASELESS) != 0) {
    shape.literals.clear();
    shape.only_literals = false;
  }
  return shape;
}

}  // namespace

void Regex::Free::operator()(pcre2_code* code) const noexcept { pcre2_code_free(code); }

Result<Regex> Regex::compile(std::string_view pattern, search::Syntax syntax, search::Letters letters) {
  PALE_CHECK(check(pattern, syntax));
  std::size_t skipped = 0;
  if (syntax == search::Syntax::Regex && pattern.starts_with(kAnyCaseMark)) {
    letters = search::Letters::AnyCase;
    skipped = kAnyCaseMark.size();
  }
  const std::string_view rest = pattern.substr(skipped);
  const std::uint32_t options = options_for(rest, syntax, letters);
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int number = 0;
  PCRE2_SIZE at = 0;
  Regex regex;
  regex.code_.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(rest.data()), rest.size(), options, &number, &at, context.get()));
  if (!regex.code_) return bad_pattern(pattern, number, skipped + at);
  regex.native_ = pcre2_jit_compile(regex.code_.get(), PCRE2_JIT_COMPLETE) == 0;
  regex.shape_ = shape_for(rest, syntax, options);
  regex.letters_ = letters;
  return regex;
}

void Matcher::Free::operator()(pcre2_match_data* data) const noexcept { pcre2_match_data_free(data); }
void Matcher::Free::operator()(pcre2_match_context* context) const noexcept { pcre2_match_context_free(context); }
void Matcher::Free::operator()(pcre2_jit_stack* stack) const noexcept { pcre2_jit_stack_free(stack); }

Matcher::Matcher(const Regex& regex)
    : regex_(regex),
      stack_(pcre2_jit_stack_create(kFirstStack, kLargestStack, nullptr)),
      context_(pcre2_match_context_create(nullptr)),
      data_(pcre2_match_data_create(1, nullptr)) {
  pcre2_set_match_limit(context_.get(), kMostSteps);
  pcre2_set_heap_limit(context_.get(), kMostMemory);
  pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
}

Match Matcher::find(std::string_view text, std::size_t from) noexcept {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const auto match = regex_.native_ ? pcre2_jit_match : pcre2_match;
  const int result = match(regex_.code_.get(), subject, text.size(), from, 0, data_.get(), context_.get());
  if (result == PCRE2_ERROR_NOMATCH) return {};
  if (result < 0) return {Outcome::TooHard};
  const PCRE2_SIZE* places = pcre2_get_ovector_pointer(data_.get());
  // Of a match that was told to begin elsewhere (\K), the end may stand before the beginning.
  return {Outcome::Match, std::min(places[0], places[1]), std::max(places[0], places[1])};
}

}  // namespace pale::grep
