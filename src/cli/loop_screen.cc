#include "cli/loop_screen.h"

#include <algorithm>

#include "base/text.h"
#include "cli/console.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

using loop::State;
using service::StoryView;

constexpr std::size_t kMostRows = 16;
constexpr std::size_t kIdWidth = 12, kStateWidth = 11, kTimeWidth = 9;

class Lines final : public service::LoopScreen {
 public:
  void print(const std::string& lines) override { print_beside(lines); }
  void tell(const std::string& line) override { print_note(line); }
  void show(const std::vector<StoryView>& /*stories*/) override {}
};

// Redrawn in its place; what is told goes above it.
class Table final : public service::LoopScreen {
 public:
  explicit Table(bool coloured) : coloured_(coloured) {}
  ~Table() override { wipe(); }

  void print(const std::string& lines) override {
    wipe();
    print_beside(lines);
  }

  void tell(const std::string& line) override {
    wipe();
    print_note(line);
  }

  void show(const std::vector<StoryView>& stories) override {
    wipe();
    std::vector<const StoryView*> order;
    for (const StoryView& story : stories) order.push_back(&story);
    std::ranges::stable_sort(order, {}, [](const StoryView* story) { return place_of(story->state); });
    std::string text;
    for (std::size_t at = 0; at < order.size() && at < kMostRows; ++at) text += row(*order[at]);
    if (order.size() > kMostRows) text += "  and " + std::to_string(order.size() - kMostRows) + " more\n";
    lines_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    print_beside(text);
  }

 private:
  // What happens now comes first.
  static int place_of(State state) {
    switch (state) {
      case State::Running:
      case State::Applying: return 0;
      case State::Verified: return 1;
      case State::Waiting: return 2;
      case State::Failed: return 3;
      case State::Blocked: return 4;
      case State::Passed: break;
    }
    return 5;
  }

  std::string row(const StoryView& story) const {
    const std::string_view state = story.step.empty() ? word_for(story.state) : std::string_view(story.step);
    std::string text = "  " + padded(printable(story.id), kIdWidth) + padded(std::string(state), kStateWidth) +
                       padded(story.milliseconds == 0 ? "" : duration_text(story.milliseconds), kTimeWidth);
    const std::size_t columns = sys::terminal_columns(2);
    text += printable(story.why.empty() ? story.title : story.why);
    // By bytes: a line that is too short does no harm, one that is too long would move the table.
    if (text.size() + 1 > columns) text = text.substr(0, columns > 1 ? columns - 1 : 0);
    while (!text.empty() && !is_utf8(text)) text.pop_back();
    if (!coloured_) return text + "\n";
    const std::string_view colour = story.state == State::Passed                                    ? "\x1b[32m"
                                    : story.state == State::Failed || story.state == State::Blocked ? "\x1b[31m"
                                    : story.state == State::Waiting                                 ? "\x1b[2m"
                                                                                                    : "";
    return std::string(colour) + text + (colour.empty() ? "" : "\x1b[0m") + "\n";
  }

  void wipe() {
    if (lines_ > 0) print_beside("\x1b[" + std::to_string(lines_) + "A\x1b[J");
    lines_ = 0;
  }

  bool coloured_;
  std::size_t lines_ = 0;
};

}  // namespace

std::string_view word_for(State state) {
  switch (state) {
    case State::Waiting: return "waiting";
    case State::Running: return "running";
    case State::Verified: return "done";
    case State::Applying: return "applying";
    case State::Passed: return "passed";
    case State::Failed: return "failed";
    case State::Blocked: break;
  }
  return "blocked";
}

std::string duration_text(std::int64_t milliseconds) {
  const std::int64_t seconds = milliseconds / 1000;
  if (seconds < 60) return std::to_string(seconds) + "." + std::to_string(milliseconds / 100 % 10) + "s";
  const std::string rest = std::to_string(seconds % 60);
  return std::to_string(seconds / 60) + "m " + (rest.size() < 2 ? "0" : "") + rest + "s";
}

std::unique_ptr<service::LoopScreen> make_loop_screen(const service::Caller& caller) {
  if (!sys::is_terminal(2) || caller.variable("TERM") == "dumb") return std::make_unique<Lines>();
  return std::make_unique<Table>(!caller.has_variable("NO_COLOR"));
}

}  // namespace pale::cli
