// What explain says of a path is what the kernel does there: boundaries by chance over a real tree, tried out path by path.
#include "integration/agree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "service/prepare.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

constexpr int kBoundaries = 25;  // for each account and each place

class ExplainAgrees : public testing::TestWithParam<Account> {
 protected:
  ExplainAgrees() : caller_home_(Account::Root, "caller") {
    environment_ = {"HOME=" + project_.home().text(), "PALE_HOME=" + caller_home_.text()};
    for (std::string& variable : environment_) envp_.push_back(variable.data());
    envp_.push_back(nullptr);
  }

  Result<service::Prepared> prepare(const Tree& tree, const Wish& wish) {
    service::Request request;
    request.project.root = tree.project().text();
    request.trust = wish.trust;
    const std::vector<std::string> words = to_words({wish.flags, std::nullopt});
    for (std::size_t at = 0; at < wish.flags.size(); ++at)
      request.paths.push_back({wish.flags[at].rule, wish.flags[at].path, words[2 * at]});
    return service::prepare(request, {nullptr, envp_.data()});
  }

  Finished probe(const Tree& tree, const Wish& wish, const char* trial, const std::string& input) const {
    std::vector<std::string> words = {"run", "--project-root", tree.project().text()};
    for (const std::string& word : to_words(wish)) words.push_back(word);
    words.insert(words.end(), {"--", tree.probe(), trial});
    return project_.pale(words, {}, input);
  }

  void try_out(const Tree& tree, const Wish& wish, const Boundary& boundary, const Trial& trial) {
    std::vector<Place> all = places_of(tree);
    for (Place& place : all) place.kind = kind_inside(boundary, place);
    std::vector<Place> places;
    std::string input;
    for (const Place& place : all) {
      if (!fits(trial, place, all)) continue;
      places.push_back(place);
      input += place.path.text() + '\0';
    }
    tree.rebuild();
    const Finished run = probe(tree, wish, trial.name, input);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::istringstream answers(run.out);
    for (const Place& place : places) {
      int error = -1;
      ASSERT_TRUE(answers >> error) << run.err;
      const Outcome outcome = expected(boundary, trial, place.path);
      ++verdicts_;
      EXPECT_TRUE(agrees(outcome, trial, place.kind, error))
          << trial.name << " " << place.path.text() << ": explain says " << to_text(outcome) << " ("
          << explain(boundary, place.path, trial.operation).rule << "), the kernel "
          << (error == 0 ? "allowed it" : std::strerror(error));
    }
  }

  void agree_in(const fs::path& base, unsigned seed) {
    const Tree tree(base, GetParam());
    for (int number = 0; number < kBoundaries && !HasFailure(); ++number) {
      std::mt19937 random(seed + static_cast<unsigned>(number));
      const Wish wish = draw_wish(tree, random);
      SCOPED_TRACE("PALE_SEED=" + std::to_string(seed + static_cast<unsigned>(number)) +
                   " flags: " + joined(to_words(wish)));
      tree.rebuild();
      const auto prepared = prepare(tree, wish);
      if (!prepared) {
        const Finished run = probe(tree, wish, "read", "");
        EXPECT_NE(run.exit_code, 0) << prepared.error().sentence();
        EXPECT_EQ(run.err.substr(0, run.err.find('\n')), "pale: " + prepared.error().sentence());
        continue;
      }
      for (const Trial& trial : kTrials) ASSERT_NO_FATAL_FAILURE(try_out(tree, wish, prepared->boundary, trial));
    }
  }

  Project project_{GetParam()};
  TemporaryDirectory caller_home_;
  std::vector<std::string> environment_;
  std::vector<char*> envp_;
  int verdicts_ = 0;
};

// PALE_SEED=N begins at another boundary.
unsigned first_seed() {
  const char* text = std::getenv("PALE_SEED");
  return text == nullptr ? 1U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST_P(ExplainAgrees, WithTheKernelInAProjectBelowTmp) {
  const TemporaryDirectory base(GetParam(), "agree", "/tmp");
  agree_in(base.path(), first_seed());
  RecordProperty("verdicts", verdicts_);
  EXPECT_GT(verdicts_, 5000);
}

TEST_P(ExplainAgrees, WithTheKernelInAProjectElsewhere) {
  const TemporaryDirectory base(GetParam(), "agree", "/var/tmp");
  agree_in(base.path(), first_seed() + kBoundaries);
  RecordProperty("verdicts", verdicts_);
  EXPECT_GT(verdicts_, 5000);
}

INSTANTIATE_TEST_SUITE_P(, ExplainAgrees, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
