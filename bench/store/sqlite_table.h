// What durable_bench asks of SQLite: blobs by number in tables of one file, in WAL mode.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fedvs/base/check.h"

namespace fedvs::bench {

class SqliteFile {
 public:
  // `synchronous`: FULL, on the disk when a transaction is committed; NORMAL: outlives the process.
  SqliteFile(const std::filesystem::path& path, const std::string& synchronous) {
    FEDVS_CHECK(sqlite3_open(path.c_str(), &file_) == SQLITE_OK, "the database opens");
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=" + synchronous);
    run("PRAGMA cache_size=-16384");  // KiB
  }
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile() { sqlite3_close(file_); }

  void run(const std::string& sql) {
    FEDVS_CHECK(sqlite3_exec(file_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
                sqlite3_errmsg(file_));
  }
  sqlite3* get() const { return file_; }

 private:
  sqlite3* file_ = nullptr;
};

class SqliteTable {
 public:
  SqliteTable(SqliteFile& file, const std::string& name) : file_(file) {
    file.run("CREATE TABLE " + name + " (id INTEGER PRIMARY KEY, bytes BLOB)");
    put_ = prepared("INSERT OR REPLACE INTO " + name + " VALUES (?, ?)");
    read_ = prepared("SELECT bytes FROM " + name + " WHERE id = ?");
    forget_ = prepared("DELETE FROM " + name + " WHERE id < ?");
  }
  SqliteTable(const SqliteTable&) = delete;
  SqliteTable& operator=(const SqliteTable&) = delete;
  ~SqliteTable() {
    for (auto* statement : {put_, read_, forget_}) sqlite3_finalize(statement);
  }

  void put(std::int64_t id, std::string_view bytes) {
    sqlite3_bind_int64(put_, 1, id);
    sqlite3_bind_blob64(put_, 2, bytes.data(), bytes.size(), SQLITE_STATIC);
    done(put_);
  }
  std::string read(std::int64_t id) {
    sqlite3_bind_int64(read_, 1, id);
    FEDVS_CHECK(sqlite3_step(read_) == SQLITE_ROW, "there is such a row");
    std::string bytes(static_cast<const char*>(sqlite3_column_blob(read_, 0)),
                      static_cast<std::size_t>(sqlite3_column_bytes(read_, 0)));
    sqlite3_reset(read_);
    return bytes;
  }
  void forget_before(std::int64_t id) {
    sqlite3_bind_int64(forget_, 1, id);
    done(forget_);
  }

 private:
  sqlite3_stmt* prepared(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    FEDVS_CHECK(sqlite3_prepare_v2(file_.get(), sql.c_str(), -1, &made, nullptr) == SQLITE_OK,
                sqlite3_errmsg(file_.get()));
    return made;
  }
  void done(sqlite3_stmt* statement) {
    FEDVS_CHECK(sqlite3_step(statement) == SQLITE_DONE, sqlite3_errmsg(file_.get()));
    sqlite3_reset(statement);
  }
  SqliteFile& file_;
  sqlite3_stmt *put_ = nullptr, *read_ = nullptr, *forget_ = nullptr;
};

}  // namespace fedvs::bench
