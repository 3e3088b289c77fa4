#include "base/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/hash.h"

namespace pale {
namespace {

using Lines = std::span<const std::string_view>;

// Signed, since diagonals are.
using Index = std::ptrdiff_t;

// About how many steps a search may take, and how many rounds it may take at least, however long the sequences are.
constexpr Index kSteps = 60'000'000;
constexpr Index kLeastRounds = 256;

// --- equal lines get equal numbers ------------------------------------------------------------------------------------

struct Hashed {
  std::uint64_t hash;
  std::size_t at;  // in `before` followed by `after`
};

// Sorted, not put into a table of buckets: texts made to collide cost no more than others.
std::vector<Index> numbered(Lines before, Lines after) {
  const auto line = [&](std::size_t at) { return at < before.size() ? before[at] : after[at - before.size()]; };
  std::vector<Hashed> all(before.size() + after.size());
  for (std::size_t at = 0; at < all.size(); ++at) all[at] = {Hash().add(line(at)).value(), at};
  std::sort(all.begin(), all.end(), [&](const Hashed& a, const Hashed& b) {
    return a.hash != b.hash ? a.hash < b.hash : line(a.at) < line(b.at);
  });
  std::vector<Index> numbers(all.size());
  Index number = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && (all[i - 1].hash != all[i].hash || line(all[i - 1].at) != line(all[i].at))) ++number;
    numbers[all[i].at] = number;
  }
  return numbers;
}

// --- one of both sequences --------------------------------------------------------------------------------------------

// What of a sequence is compared, and the verdict on all of it.
struct Sequence {
  std::span<const Index> numbers;
  std::vector<bool> changed;
  std::vector<Index> compared;     // numbers of those that the other sequence has as well
  std::vector<std::size_t> place;  // of each of these, in `numbers`

  explicit Sequence(std::span<const Index> all) : numbers(all), changed(all.size(), false) {}

  void mark(Index begin, Index end) {
    for (Index at = begin; at < end; ++at) changed[place[static_cast<std::size_t>(at)]] = true;
  }
};

// A line that the other sequence does not have at all is changed in any case. Without these, texts that have nothing in
// common cost nothing, and the others less.
void select(Sequence& sequence, const std::vector<bool>& is_in_other) {
  for (std::size_t at = 0; at < sequence.numbers.size(); ++at) {
    const Index number = sequence.numbers[at];
    if (!is_in_other[static_cast<std::size_t>(number)]) {
      sequence.changed[at] = true;
      continue;
    }
    sequence.compared.push_back(number);
    sequence.place.push_back(at);
  }
}

std::vector<bool> present(std::span<const Index> numbers, std::size_t highest) {
  std::vector<bool> found(highest, false);
  for (const Index number : numbers) found[static_cast<std::size_t>(number)] = true;
  return found;
}

// --- the search -------------------------------------------------------------------------------------------------------

// Old lines [old_begin, old_end) against new lines [new_begin, new_end): a rectangle, to be crossed from its upper left corner
// to its lower right one. A step to the right removes a line, a step down adds one, a diagonal step keeps one.
struct Box {
  Index old_begin, old_end, new_begin, new_end;
  Index width() const { return old_end - old_begin; }
  Index height() const { return new_end - new_begin; }
};

struct Point {
  Index x, y;
};

// How far one can come from one corner, on each diagonal, with a number of steps to the right and down. From the lower right
// corner everything is turned around, so that the same code serves both.
class Frontier {
 public:
  Frontier(const Index* first_old, const Index* first_new, Index direction, const Box& box, std::vector<Index>& reach)
      : first_old_(first_old),
        first_new_(first_new),
        direction_(direction),
        width_(box.width()),
        height_(box.height()),
        reach_(reach.data() + reach.size() / 2) {}

  // One step more. Stops on the diagonal where it meets the other, and gives that point as this one counts.
  std::optional<Point> advance(const Frontier& other) {
    ++round_;
    at(-round_ - 1) = at(round_ + 1) = kNowhere;
    // The first diagonal of this round's parity that is not left of the box.
    const Index first = std::max(-round_, -height_ + ((round_ - height_) & 1));
    for (Index diagonal = first; diagonal <= std::min(round_, width_); diagonal += 2) {
      Index x = std::max(at(diagonal - 1) + 1, at(diagonal + 1));
      while (x < width_ && x - diagonal < height_ && old_at(x) == new_at(x - diagonal)) ++x;
      at(diagonal) = x;
      if (other.has_reached(width_ - height_ - diagonal, width_ - x)) return Point{x, x - diagonal};
    }
    return std::nullopt;
  }

  // The point that lies furthest from the corner.
  std::optional<Point> furthest() const {
    std::optional<Point> best;
    for (Index diagonal = -round_; diagonal <= round_; diagonal += 2) {
      if (diagonal < -height_ || diagonal > width_) continue;
      const Point point{at(diagonal), at(diagonal) - diagonal};
      if (point.x > width_ || point.y > height_) continue;
      if (!best || point.x + point.y > best->x + best->y) best = point;
    }
    return best;
  }

 private:
  static constexpr Index kNowhere = -1;

  Index old_at(Index x) const { return first_old_[x * direction_]; }
  Index new_at(Index y) const { return first_new_[y * direction_]; }
  Index& at(Index diagonal) { return reach_[diagonal]; }
  Index at(Index diagonal) const { return reach_[diagonal]; }
  bool has_reached(Index diagonal, Index x) const {
    return diagonal >= std::max(-round_, -height_) && diagonal <= std::min(round_, width_) && at(diagonal) >= x;
  }

  const Index* first_old_;
  const Index* first_new_;
  Index direction_;
  Index width_, height_;
  Index round_ = -1;
  Index* reach_;  // the furthest x on each diagonal x - y; points at that of diagonal 0
};

// Myers, "An O(ND) Difference Algorithm and Its Variations", 1986: the shortest way through a box, searched from both corners,
// is cut where the searches meet; then each half is searched. Halves wait in a list instead of on the stack.
class Search {
 public:
  Search(Sequence& before, Sequence& after) : before_(before), after_(after) {
    const auto lines = static_cast<Index>(before.compared.size() + after.compared.size());
    rounds_ = std::min(lines, std::max(kLeastRounds, kSteps / (lines + 1)));
    from_start_.resize(static_cast<std::size_t>(2 * rounds_ + 5));
    from_end_.resize(from_start_.size());
  }

  void run() {
    std::vector<Box> open = {
        {0, static_cast<Index>(before_.compared.size()), 0, static_cast<Index>(after_.compared.size())}};
    while (!open.empty()) {
      const Box box = trimmed(open.back());
      open.pop_back();
      const auto middle = box.width() == 0 || box.height() == 0 ? std::nullopt : split(box);
      if (!middle) {
        before_.mark(box.old_begin, box.old_end);
        after_.mark(box.new_begin, box.new_end);
        continue;
      }
      open.push_back({box.old_begin, middle->x, box.new_begin, middle->y});
      open.push_back({middle->x, box.old_end, middle->y, box.new_end});
    }
  }

 private:
  Box trimmed(Box box) const {
    const Index* old_lines = before_.compared.data();
    const Index* new_lines = after_.compared.data();
    while (box.width() > 0 && box.height() > 0 && old_lines[box.old_begin] == new_lines[box.new_begin]) {
      ++box.old_begin;
      ++box.new_begin;
    }
    while (box.width() > 0 && box.height() > 0 && old_lines[box.old_end - 1] == new_lines[box.new_end - 1]) {
      --box.old_end;
      --box.new_end;
    }
    return box;
  }

  // A point on a shortest way through a trimmed box. If that is too long to be found, the furthest point that a search came
  // to: what the two searches cost is then in proportion to what lies behind that point, and need not be looked at again.
  std::optional<Point> split(const Box& box) {
    const Index* old_lines = before_.compared.data();
    const Index* new_lines = after_.compared.data();
    Frontier start(old_lines + box.old_begin, new_lines + box.new_begin, 1, box, from_start_);
    Frontier end(old_lines + box.old_end - 1, new_lines + box.new_end - 1, -1, box, from_end_);
    const auto seen_from_start = [&](Point p) { return Point{box.old_begin + p.x, box.new_begin + p.y}; };
    const auto seen_from_end = [&](Point p) { return Point{box.old_end - p.x, box.new_end - p.y}; };
    for (Index round = 0; round <= rounds_; ++round) {
      if (const auto met = start.advance(end)) return seen_from_start(*met);
      if (const auto met = end.advance(start)) return seen_from_end(*met);
    }
    const auto first = start.furthest();
    const auto second = end.furthest();
    if (first && (!second || first->x + first->y >= second->x + second->y)) return seen_from_start(*first);
    return second ? std::optional(seen_from_end(*second)) : std::nullopt;
  }

  Sequence& before_;
  Sequence& after_;
  Index rounds_;
  std::vector<Index> from_start_, from_end_;
};

// --- edits ------------------------------------------------------------------------------------------------------------

std::vector<Edit> edits_of(const std::vector<bool>& removed, const std::vector<bool>& added) {
  std::vector<Edit> edits;
  std::size_t x = 0, y = 0;
  while (x < removed.size() || y < added.size()) {
    Edit edit{x, x, y, y};
    while (edit.old_end < removed.size() && removed[edit.old_end]) ++edit.old_end;
    while (edit.new_end < added.size() && added[edit.new_end]) ++edit.new_end;
    x = edit.old_end + 1;
    y = edit.new_end + 1;
    if (edit.old_begin < edit.old_end || edit.new_begin < edit.new_end) edits.push_back(edit);
  }
  return edits;
}

// Moves an edit that only removes or only adds down by as many lines as look the same there, up to the next edit.
void slide(Edit& edit, const Edit& next, std::span<const Index> before, std::span<const Index> after) {
  const bool removes = edit.old_begin < edit.old_end;
  if (removes == (edit.new_begin < edit.new_end)) return;
  const std::span<const Index> lines = removes ? before : after;
  const std::size_t begin = removes ? edit.old_begin : edit.new_begin;
  const std::size_t length = removes ? edit.old_end - begin : edit.new_end - begin;
  const std::size_t room = next.old_begin - edit.old_end;
  std::size_t moved = 0;
  while (moved < room && lines[begin + moved] == lines[begin + moved + length]) ++moved;
  edit = {edit.old_begin + moved, edit.old_end + moved, edit.new_begin + moved, edit.new_end + moved};
}

// Whoever adds a block behind a similar one expects it there. What arrives at the next edit becomes one with it.
std::vector<Edit> slid_down(std::vector<Edit> edits, std::span<const Index> before, std::span<const Index> after) {
  const Edit end{before.size(), before.size(), after.size(), after.size()};
  std::size_t done = edits.size();  // this edit and those behind it
  for (std::size_t at = edits.size(); at-- > 0;) {
    Edit edit = edits[at];
    slide(edit, done < edits.size() ? edits[done] : end, before, after);
    while (done < edits.size() && edit.old_end == edits[done].old_begin) {
      edit = {edit.old_begin, edits[done].old_end, edit.new_begin, edits[done].new_end};
      ++done;
      slide(edit, done < edits.size() ? edits[done] : end, before, after);
    }
    edits[--done] = edit;
  }
  edits.erase(edits.begin(), edits.begin() + static_cast<Index>(done));
  return edits;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t length = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<Edit> diff_lines(Lines before, Lines after) {
  const std::vector<Index> numbers = numbered(before, after);
  const std::span<const Index> all = numbers;
  Sequence old_lines(all.first(before.size()));
  Sequence new_lines(all.subspan(before.size()));
  select(old_lines, present(new_lines.numbers, numbers.size()));
  select(new_lines, present(old_lines.numbers, numbers.size()));
  Search(old_lines, new_lines).run();
  return slid_down(edits_of(old_lines.changed, new_lines.changed), old_lines.numbers, new_lines.numbers);
}

}  // namespace pale
