// grep/kept.h: the first files of a search, in the order of a tree, whatever order they are found in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grep/report.h"
#include "search/request.h"

namespace pale::grep {

// Holds at most about twice what the bounds allow, and at the end exactly that.
class Kept {
 public:
  Kept(search::Report report, const Bounds& bounds) : report_(report), bounds_(bounds) {}

  // What may be kept of this file; nothing, if enough stands before it.
  std::optional<Bounds> wants(std::string_view path) const;
  void add(search::FileMatches file);
  void merge(Kept&& other);
  std::vector<search::FileMatches> take() &&;

 private:
  Bounds cost(const search::FileMatches& file) const;
  void cut();
  bool shorten(search::FileMatches& file, const Bounds& left) const;

  search::Report report_;
  Bounds bounds_;
  std::vector<search::FileMatches> files_;
  Bounds held_ = {};
  std::string last_;  // behind this one nothing is wanted; empty: everything is
};

}  // namespace pale::grep
