#include "history/database.h"

#include <sqlite3.h>

#include <cerrno>

#include "base/text.h"
#include "history/schema.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::history {
namespace {

constexpr int kLongestWait = 15'000;  // milliseconds, for other writers
constexpr std::int64_t kPause = 5;
constexpr std::int64_t kOurs = 0x50616c65;  // "Pale", in the header of the file

Error error_of(int code, const std::string& file) {
  const std::string aside =
      "keep it aside, and a new one is begun: mv " + shell_word(file) + " " + shell_word(file + ".damaged");
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return {ErrorKind::System, 0, "the history is damaged, or no database:", file, aside, {}};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::System, 0, "another pale holds the history:", file, "try again in a moment", {}};
    case SQLITE_FULL: return {ErrorKind::System, ENOSPC, "write", file, {}, {}};
    case SQLITE_READONLY:
    case SQLITE_PERM: return {ErrorKind::System, EACCES, "write", file, {}, {}};
    default: return {ErrorKind::System, 0, std::string(sqlite3_errstr(code)) + ":", file, {}, {}};
  }
}

std::unexpected<Error> failed(int code, const std::string& file) { return fail(error_of(code, file)); }

// SQLite would make it as the umask says; what it puts beside it later gets the same mode. An existing one is not opened here:
// closing any descriptor of a file drops the locks that this process has on it.
Status make_file(const sys::Fd& directory, const std::string& file) {
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  if (info.kind == sys::FileKind::Missing) {
    const auto made = sys::open_at(directory.borrow(), "history.db", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (!made && made.error().number != EEXIST) return fail(Error(made.error()));
    return {};
  }
  if (info.kind != sys::FileKind::File)
    return fail(ErrorKind::Refused, "this is no file of its own, but a link or something else:", file,
                "look at it, and remove it: ls -l " + shell_word(file));
  if ((info.mode & 077U) != 0) return sys::set_mode(sys::kAbsolute, file.c_str(), 0600);
  return {};
}

}  // namespace

Query::Query(Query&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)), file_(other.file_) {}

Query::~Query() {
  if (statement_ == nullptr) return;
  (void)sqlite3_reset(statement_);
  (void)sqlite3_clear_bindings(statement_);
}

// That there is no memory shows in next().
void Query::bind(int place, std::int64_t number) noexcept { (void)sqlite3_bind_int64(statement_, place, number); }
void Query::bind(int place, std::string_view text) noexcept {
  (void)sqlite3_bind_text64(statement_, place, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8);
}
void Query::bind_bytes(int place, std::string_view bytes) noexcept {
  (void)sqlite3_bind_blob64(statement_, place, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}
void Query::bind(int place, const std::optional<std::int64_t>& number) noexcept {
  if (number) bind(place, *number);
}

Result<bool> Query::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failed(code, *file_);
}

bool Query::is_null(int column) const noexcept { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Query::number(int column) const noexcept { return sqlite3_column_int64(statement_, column); }
std::optional<std::int64_t> Query::maybe(int column) const noexcept {
  return is_null(column) ? std::nullopt : std::optional(number(column));
}
std::string Query::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

Result<std::unique_ptr<Database>> Database::open(const Path& pale_home) {
  PALE_CHECK(sys::make_directories(pale_home.text(), 0700));
  PALE_TRY(directory, sys::open_at(sys::kAbsolute, pale_home.c_str(), O_PATH | O_DIRECTORY));
  // SQLITE_OPEN_NOFOLLOW refuses a link anywhere in the name, and PALE_HOME may well lie behind one.
  PALE_TRY(place, sys::path_of(directory));
  const std::string file = place + "/history.db";
  PALE_CHECK(make_file(directory, file));
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(
      file.c_str(), &connection,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  std::unique_ptr<Database> database(new Database(connection, file));
  if (code != SQLITE_OK) return failed(code, file);
  PALE_CHECK(database->check_ours());
  PALE_CHECK(database->set_up());
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) (void)sqlite3_finalize(statement);
  (void)sqlite3_close(connection_);
}

// Before anything is written to it.
Status Database::check_ours() {
  (void)sqlite3_busy_timeout(connection_, kLongestWait);
  PALE_TRY(version, ask_once("PRAGMA user_version"));
  PALE_TRY(ours, ask_once("PRAGMA application_id"));
  PALE_TRY(tables, ask_once("SELECT count(*) FROM sqlite_schema"));
  if (ours != kOurs && tables != 0)
    return fail(ErrorKind::System, "this is a database of something else:", file_,
                "move it away: mv " + shell_word(file_) + " …");
  if (version > static_cast<std::int64_t>(kSchemaSteps.size()))
    return fail(ErrorKind::Unsupported, "the history was written by a newer pale:", file_,
                "use that one, or set another PALE_HOME");
  return {};
}

Status Database::set_up() {
  // Nobody can change it while another reads, and SQLite does not always wait for that by itself.
  for (std::int64_t waited = 0;; waited += kPause) {
    auto query = prepare("PRAGMA journal_mode = WAL");
    auto row = query ? query->next() : Result<bool>(std::unexpected(query.error()));
    if (row && query->text(0) == "wal") break;
    if (waited >= kLongestWait) return row ? failed(SQLITE_BUSY, file_) : Status(std::unexpected(row.error()));
    PALE_CHECK(sys::wait_ready({}, kPause));
  }
  PALE_CHECK(
      execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"
              "PRAGMA journal_size_limit = 8388608; PRAGMA temp_store = MEMORY"));
  PALE_TRY(version, ask_once("PRAGMA user_version"));
  return version == static_cast<std::int64_t>(kSchemaSteps.size()) ? Status() : migrate();
}

Status Database::migrate() {
  PALE_TRY(transaction, Transaction::begin(*this));
  PALE_TRY(version, ask_once("PRAGMA user_version"));  // again: another process may have been faster
  for (auto step = static_cast<std::size_t>(version); step < kSchemaSteps.size(); ++step)
    PALE_CHECK(execute(kSchemaSteps[step]));
  PALE_CHECK(execute(("PRAGMA user_version = " + std::to_string(kSchemaSteps.size()) +
                      "; PRAGMA application_id = " + std::to_string(kOurs))
                         .c_str()));
  return transaction.commit();
}

Result<Query> Database::prepare(const char* sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (statement == nullptr) {
    const int code = sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return failed(code, file_);
  }
  return Query(statement, &file_);
}

Status Database::execute(const char* sql) {
  const int code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : failed(code, file_);
}

Result<std::int64_t> Database::ask_once(const char* sql) {
  PALE_TRY(query, prepare(sql));
  PALE_CHECK(query.next());
  return query.number(0);
}

std::int64_t Database::last_key() const noexcept { return sqlite3_last_insert_rowid(connection_); }
std::int64_t Database::changed_rows() const noexcept { return sqlite3_changes64(connection_); }

Result<Transaction> Transaction::begin(Database& database) {
  PALE_CHECK(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->run("ROLLBACK");
}

Status Transaction::commit() {
  PALE_CHECK(database_->run("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace pale::history
