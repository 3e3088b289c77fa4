// cli/stage.h: what the commands of `pale stage` share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "service/stages.h"

namespace pale::cli {

// A command line of `pale stage …`, read as far as all of them are alike.
struct StageCall {
  Arguments arguments;
  service::Caller caller;
  Format format = Format::Text;
  bool colours = false;

  static Result<StageCall> parse(std::string_view name, const CommandLine& line, std::size_t most_operands);
  Result<service::Stages> open() const;
  // The first operand, if it is the name of a stage; the others are paths, as the project sees them.
  struct Meant {
    stage::Stage stage;
    std::vector<std::string> paths;
  };
  Result<Meant> meant(const service::Stages& stages) const;
  // Paths as the project sees them; the whole project is none.
  static Result<std::vector<std::string>> project_paths(const service::Stages& stages,
                                                        const std::vector<std::string>& given);
};

// On a terminal, from the second second on.
class TerminalProgress final : public stage::Progress {
 public:
  TerminalProgress();
  void tell(std::string_view what, std::size_t done, std::size_t all) override;
  void clear();  // what was written is wiped

 private:
  bool shown_;
  bool written_ = false;
  std::int64_t next_ns_;
};

std::size_t conflicts_in(const stage::ChangeSet& changes);

// "  changed   src/x.cc", and why it is listed apart.
std::string change_line(const stage::Change& change, const Palette& colours);
// The parts of a change set that need a decision, each under a heading; empty if there is none.
std::string listed_apart(const stage::ChangeSet& conflicts, const stage::ChangeSet& executes,
                         const stage::ChangeSet& protections, const Palette& colours);
void write_changes(JsonWriter& out, const stage::ChangeSet& changes);

}  // namespace pale::cli
