// The objects of a store in a data directory, in one SQLite database.
//
//   KEELSON_TRY(journal, SqliteJournal::Open(directory));
//   KEELSON_RETURN_IF_ERROR(journal->Load(add));
//   KEELSON_RETURN_IF_ERROR(journal->Commit(writes));      // on return they survive the process being killed
//
// A row is keyed by its object's revision, which nothing else ever has: a new version is one row appended and one
// removed, both found without an index. A single row of state holds the newest revision, the number of objects and a
// digest of them all, changed in the transaction of each write; Load compares, so that a damaged or altered file is
// noticed whatever was hit. Write-ahead log with synchronous=NORMAL: transactions survive the process at once, the
// machine's power only from the next checkpoint on (the file stays whole either way).
//
// Not thread-safe: the store's write mutex guards it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/store/event.h"
#include "keelson/core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace keelson::apiserver::internal {

struct JournalWrite {
  uint32_t collection = 0;
  const Event* event = nullptr;
};

class SqliteJournal {
 public:
  // Makes the directory and the database when they are missing. Errors: the directory cannot be used; another process
  // has it (kUnavailable); the file is not ours, of another version, or damaged. Nothing is changed then.
  static Result<std::unique_ptr<SqliteJournal>> Open(const std::string& directory);
  ~SqliteJournal();
  SqliteJournal(const SqliteJournal&) = delete;
  SqliteJournal& operator=(const SqliteJournal&) = delete;

  Revision revision() const { return state_.revision; }
  // Names by number.
  const std::vector<std::string>& collections() const& { return collections_; }

  // Reads all objects, once, before the first Commit. `add` says when an object cannot be.
  using Add = std::function<Result<void>(uint32_t collection, Draft draft, Revision revision)>;
  Result<void> Load(const Add& add);

  // Gives the next number a name; kept from the next Commit on.
  void AddCollection(std::string_view name);
  // All or none. After an error that leaves the file in doubt every later call fails too.
  Result<void> Commit(std::span<const JournalWrite> writes);

 private:
  struct State {
    Revision revision = 0;
    int64_t objects = 0;
    uint64_t digest = 0;  // the sum of the objects' digests

    uint64_t Check() const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  explicit SqliteJournal(std::string directory) : directory_(std::move(directory)) {}

  std::string DatabasePath() const;
  Result<void> Lock();
  Result<void> Create() const;
  Result<void> CheckFile() const;
  Result<void> OpenDatabase(const std::string& path);
  Result<void> ReadState();
  Result<void> PrepareStatements();
  Result<void> Run(const char* sql);
  Result<Statement> Prepare(const char* sql);
  Result<void> Step(sqlite3_stmt* statement, const char* what);
  Result<void> WriteCollections();
  Result<void> WriteRows(std::span<const JournalWrite> writes, State& state);
  Error Failure(std::string_view what) const;
  Error Damaged(std::string_view what) const;

  const std::string directory_;
  int lock_ = -1;
  sqlite3* database_ = nullptr;
  State state_;
  std::vector<std::string> collections_;
  size_t kept_collections_ = 0;  // so many of them are in the file
  bool in_doubt_ = false;
  Statement begin_;
  Statement commit_;
  Statement insert_;
  Statement remove_;
  Statement name_collection_;
  Statement set_state_;
};

}  // namespace keelson::apiserver::internal
