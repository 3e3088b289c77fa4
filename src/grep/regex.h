// grep/regex.h: regular expressions as Perl has them (PCRE2), compiled for this processor and bounded in what they may cost.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "grep/shape.h"
#include "search/request.h"

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;
struct pcre2_real_jit_stack_8;

namespace pale::grep {

// Letters are those of ASCII, and a byte is a character, unless the pattern itself has other ones or asks for their properties.
class Regex {
 public:
  // The error says where in the pattern it is.
  static Result<Regex> compile(std::string_view pattern, search::Syntax syntax, search::Letters letters);

  const Shape& shape() const noexcept { return shape_; }
  search::Letters letters() const noexcept { return letters_; }

 private:
  friend class Matcher;
  struct Free {
    void operator()(pcre2_real_code_8* code) const noexcept;
  };
  std::unique_ptr<pcre2_real_code_8, Free> code_;
  bool native_ = false;  // compiled for this processor
  Shape shape_;
  search::Letters letters_ = search::Letters::Exact;
};

enum class Outcome { Match, None, TooHard };
struct Match {
  Outcome outcome = Outcome::None;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What one thread needs to match.
class Matcher {
 public:
  explicit Matcher(const Regex& regex);
  // '^' and '$' are the ends of lines.
  Match find(std::string_view text, std::size_t from) noexcept;

 private:
  struct Free {
    void operator()(pcre2_real_match_data_8* data) const noexcept;
    void operator()(pcre2_real_match_context_8* context) const noexcept;
    void operator()(pcre2_real_jit_stack_8* stack) const noexcept;
  };
  const Regex& regex_;
  std::unique_ptr<pcre2_real_jit_stack_8, Free> stack_;
  std::unique_ptr<pcre2_real_match_context_8, Free> context_;
  std::unique_ptr<pcre2_real_match_data_8, Free> data_;
};

}  // namespace pale::grep
