// history/database.h: PALE_HOME/history.db, and the only door to SQLite.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/path.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pale::history {

// One question under way, and its answer row by row. Only one at a time of the same text.
class Query {
 public:
  Query(sqlite3_stmt* statement, const std::string* file) noexcept : statement_(statement), file_(file) {}
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  ~Query();

  void bind(int place, std::int64_t number) noexcept;
  void bind(int place, std::string_view text) noexcept;
  void bind_bytes(int place, std::string_view bytes) noexcept;
  void bind(int place, const std::optional<std::int64_t>& number) noexcept;

  // Whether there is a row, or another one.
  Result<bool> next();
  bool is_null(int column) const noexcept;
  std::int64_t number(int column) const noexcept;
  std::optional<std::int64_t> maybe(int column) const noexcept;
  std::string text(int column) const;

 private:
  sqlite3_stmt* statement_;
  const std::string* file_;
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const Path& pale_home);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // `sql` is a literal: prepared once, and kept. What stands for ?1, ?2… follows.
  template <typename... Values>
  Result<Query> ask(const char* sql, const Values&... values) {
    auto query = prepare(sql);
    if (query) {
      int place = 0;
      (query->bind(++place, values), ...);
    }
    return query;
  }
  // The same for what has no answer.
  template <typename... Values>
  Status run(const char* sql, const Values&... values) {
    PALE_TRY(query, ask(sql, values...));
    PALE_CHECK(query.next());
    return {};
  }
  std::int64_t last_key() const noexcept;
  std::int64_t changed_rows() const noexcept;

 private:
  Database(sqlite3* connection, std::string file) : connection_(connection), file_(std::move(file)) {}
  Result<Query> prepare(const char* sql);
  Status execute(const char* sql);  // any number of statements, once
  Result<std::int64_t> ask_once(const char* sql);
  Status check_ours();
  Status set_up();
  Status migrate();

  sqlite3* connection_;
  std::string file_;
  std::unordered_map<std::string_view, sqlite3_stmt*> statements_;
};

// All or nothing; nothing, unless it is committed. Others can read meanwhile, but not write.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Database& database) noexcept : database_(&database) {}
  Database* database_;
};

}  // namespace pale::history
