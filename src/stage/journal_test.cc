#include "stage/journal.h"

#include <gtest/gtest.h>

#include "support/directory.h"

namespace pale::stage {
namespace {

Journal sample() {
  Journal journal;
  journal.number = 7;
  journal.phase = Phase::Performed;
  journal.stage = "fix-42";
  journal.undoes = 3;
  journal.seconds = 1'700'000'000;
  journal.into = "parent";
  journal.workshop = Path::literal("/home/ada/.pale/stages/shop/.history/7/slots");
  journal.operations = {{Action::Swap, "src/a \"b\"\n", 11, 12, 1'700'000'000'000'000'001, 0, 0, 5},
                        {Action::Take, "gone\xff", 13, 0, 2, 0, 0, 0},
                        {.action = Action::Mode, .path = "d", .old_mode = 0755, .new_mode = 0700}};
  journal.paths = {"src/a \"b\"\n", "gone\xff"};
  return journal;
}

TEST(Journal, IsReadAsItWasWritten) {
  const auto read = journal_from_json(to_json(sample()));
  ASSERT_TRUE(read) << read.error().sentence();
  EXPECT_EQ(*read, sample());
}

TEST(Journal, ThatIsCutOffOrLacksAMemberIsDamaged) {
  const std::string text = to_json(sample());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_FALSE(journal_from_json(text.substr(0, length)));
  for (const char* key : {"\"phase\"", "\"operations\"", "\"into\"", "\"oldInode\"", "\"workshop\""}) {
    std::string lacking = text;
    lacking.replace(lacking.find(key), 2, "\"x");
    EXPECT_FALSE(journal_from_json(lacking)) << key;
  }
}

class JournalFile : public test::InADirectory {};

TEST_F(JournalFile, IsFoundByItsNumber) {
  std::filesystem::create_directories(base_ / "7");
  std::filesystem::create_directories(base_ / "12");
  std::filesystem::create_directories(base_ / "other");
  ASSERT_TRUE(write_journal(base(), sample()));
  EXPECT_EQ(list_journals(base()), (std::vector<std::uint64_t>{7, 12}));
  const auto read = read_journal(base(), 7);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ(**read, sample());
  const auto never_ready = read_journal(base(), 12);
  ASSERT_TRUE(never_ready);
  EXPECT_FALSE(*never_ready);
}

TEST_F(JournalFile, ThatIsDamagedIsNamed) {
  write("7/journal.json", "{}");
  const auto read = read_journal(base(), 7);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().subject, (base_ / "7/journal.json").string());
}

}  // namespace
}  // namespace pale::stage
