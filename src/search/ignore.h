// search/ignore.h: the rules of one .gitignore file, as git has them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/pattern.h"

namespace pale::search {

enum class Verdict {
  Silent,  // no rule is about it
  Ignore,
  Keep,  // a rule with a '!' takes it back
};
enum class EntryKind { File, Directory };

class IgnoreRule {
 public:
  // A line without its end. Nothing for one that is empty, a comment, or never matches.
  static std::optional<IgnoreRule> parse(std::string_view line);
  bool matches(std::string_view path, EntryKind kind) const noexcept;
  Verdict verdict() const noexcept { return verdict_; }

 private:
  Verdict verdict_ = Verdict::Ignore;
  bool directories_only_ = false;
  bool by_name_ = false;  // wherever it lies
  std::string begin_;     // as it stands
  std::string suffix_;    // of "*.o", the most usual kind
  std::optional<Pattern> rest_;
};

class IgnoreRules {
 public:
  static IgnoreRules parse(std::string_view text);
  // `path` is below the directory that the file lies in. The last rule that matches decides. What lies in an ignored directory
  // is nobody's question: git does not look in there.
  Verdict judge(std::string_view path, EntryKind kind) const noexcept;
  bool empty() const noexcept { return rules_.empty(); }

 private:
  std::vector<IgnoreRule> rules_;
};

}  // namespace pale::search
