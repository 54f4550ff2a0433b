#include "keelson/apiserver/store/sqlite_journal.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "keelson/apiserver/store/object_digest.h"
#include "keelson/apiserver/store/wal_check.h"

namespace keelson::apiserver::internal {
namespace {

constexpr uint32_t kApplicationId = 0x6b6c736e;  // "klsn": tells our databases from others'
constexpr uint32_t kSchemaVersion = 1;
constexpr size_t kSqliteHeaderBytes = 100;
// As etcd begins: the first write is 2, and 0 stays free to mean "any".
constexpr Revision kFirstRevision = 1;

constexpr const char* kSettings =
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA wal_autocheckpoint=4000;";

constexpr const char* kSchema =
    "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, objects INTEGER NOT NULL,"
    " digest INTEGER NOT NULL, checked INTEGER NOT NULL);"
    "CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE objects (revision INTEGER PRIMARY KEY, collection INTEGER NOT NULL, namespace TEXT NOT NULL,"
    " name TEXT NOT NULL, uid TEXT NOT NULL, json BLOB NOT NULL, revision_at INTEGER NOT NULL, labels BLOB,"
    " fields BLOB);";

std::string ErrnoText() { return std::generic_category().message(errno); }

// Labels and fields as one text: each value behind its length and a colon.
void AppendText(std::string& to, std::string_view text) {
  to += std::to_string(text.size());
  to += ':';
  to += text;
}
std::string Pack(const Map<String>& labels) {
  std::string packed;
  for (const auto& [key, value] : labels) {
    AppendText(packed, key);
    AppendText(packed, value);
  }
  return packed;
}
std::string Pack(const List<String>& fields) {
  std::string packed;
  for (const String& field : fields) AppendText(packed, field);
  return packed;
}
bool TakeText(std::string_view& from, String& text) {
  size_t size = 0;
  const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), size);
  const auto digits = static_cast<size_t>(end - from.data());
  if (error != std::errc() || digits == from.size() || *end != ':' || size > from.size() - digits - 1) return false;
  text = from.substr(digits + 1, size);
  from.remove_prefix(digits + 1 + size);
  return true;
}
bool Unpack(std::string_view packed, Map<String>& labels) {
  String key;
  String value;
  while (!packed.empty()) {
    if (!TakeText(packed, key) || !TakeText(packed, value)) return false;
    labels.Set(key, value);
  }
  return true;
}
bool Unpack(std::string_view packed, List<String>& fields) {
  String value;
  while (!packed.empty()) {
    if (!TakeText(packed, value)) return false;
    fields.push_back(value);
  }
  return true;
}

// An object as its row has it.
struct Row {
  Revision revision;
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  std::string_view json;
  size_t revision_at;
  std::string_view labels;
  std::string_view fields;

  uint64_t Digest(std::string_view collection) const {
    return ObjectDigest()
        .Add(collection)
        .Add(static_cast<uint64_t>(revision))
        .Add(namespace_)
        .Add(name)
        .Add(uid)
        .Add(json)
        .Add(uint64_t{revision_at})
        .Add(labels)
        .Add(fields)
        .value();
  }
};
Row RowOf(const StoredObject& object, std::string_view labels, std::string_view fields) {
  return {.revision = object.revision(),
          .namespace_ = object.namespace_(),
          .name = object.name(),
          .uid = object.uid(),
          .json = object.json(),
          .revision_at = object.revision_at(),
          .labels = labels,
          .fields = fields};
}

void BindText(sqlite3_stmt* statement, int at, std::string_view text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}
void BindBlob(sqlite3_stmt* statement, int at, std::string_view bytes) {
  sqlite3_bind_blob(statement, at, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
}
std::string_view Column(sqlite3_stmt* statement, int at) {
  const void* bytes = sqlite3_column_blob(statement, at);
  return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_column_bytes(statement, at))};
}

uint32_t BigEndian(const unsigned char* at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | uint32_t{at[3]};
}

}  // namespace

uint64_t SqliteJournal::State::Check() const {
  return ObjectDigest().Add(static_cast<uint64_t>(revision)).Add(static_cast<uint64_t>(objects)).Add(digest).value();
}

void SqliteJournal::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

std::string SqliteJournal::DatabasePath() const { return directory_ + "/keelson.db"; }

Error SqliteJournal::Failure(std::string_view what) const {
  const int code = sqlite3_errcode(database_) & 0xff;
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) return Damaged(sqlite3_errmsg(database_));
  return {ErrorCode::kUnavailable, "data directory \"" + directory_ + "\": " + std::string(what) + ": " +
                                       (database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_))};
}
Error SqliteJournal::Damaged(std::string_view what) const {
  return {ErrorCode::kInternal, "\"" + DatabasePath() + "\" is damaged: " + std::string(what) +
                                    "; nothing was changed. Restore the directory from a copy, or move it away to "
                                    "start empty"};
}

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::Open(const std::string& directory) {
  std::unique_ptr<SqliteJournal> journal(new SqliteJournal(directory));
  std::error_code error;
  if (std::filesystem::create_directories(directory, error)) ::chmod(directory.c_str(), 0700);
  if (error) return Error::InvalidArgument("data directory \"" + directory + "\" cannot be made: " + error.message());
  KEELSON_RETURN_IF_ERROR(journal->Lock());
  if (!std::filesystem::exists(journal->DatabasePath(), error)) KEELSON_RETURN_IF_ERROR(journal->Create());
  KEELSON_RETURN_IF_ERROR(journal->CheckFile());
  KEELSON_RETURN_IF_ERROR(journal->OpenDatabase(journal->DatabasePath()));
  // Until all was read and found whole nothing may be written, not even what the log still holds.
  sqlite3_db_config(journal->database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  KEELSON_RETURN_IF_ERROR(journal->ReadState());
  return journal;
}

SqliteJournal::~SqliteJournal() {
  begin_.reset();
  commit_.reset();
  insert_.reset();
  remove_.reset();
  name_collection_.reset();
  set_state_.reset();
  sqlite3_close(database_);
  if (lock_ >= 0) ::close(lock_);
}

Result<void> SqliteJournal::Lock() {
  const std::string path = directory_ + "/lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) {
    return Error::InvalidArgument("data directory \"" + directory_ + "\" cannot be used: " + path + ": " + ErrnoText());
  }
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) {
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(lock_, 0) == 0) (void)!::pwrite(lock_, pid.data(), pid.size(), 0);  // only for the message below
    return {};
  }
  if (errno != EWOULDBLOCK) return Error::InvalidArgument("\"" + path + "\" cannot be locked: " + ErrnoText());
  char pid[32];
  const ssize_t size = ::pread(lock_, pid, sizeof pid, 0);
  std::string holder = size > 1 ? std::string(pid, static_cast<size_t>(size) - 1) : "unknown";
  return Error(ErrorCode::kUnavailable, "data directory \"" + directory_ + "\" is in use by process " + holder +
                                            ": stop that process, or choose another directory");
}

// Under another name first: a database that is there is complete.
Result<void> SqliteJournal::Create() const {
  if (std::filesystem::exists(DatabasePath() + "-wal")) {
    return Error(ErrorCode::kInternal, "\"" + DatabasePath() +
                                           "\" is missing, but its log \"keelson.db-wal\" is there: " +
                                           "restore the database, or move the log away to start empty");
  }
  const std::string path = DatabasePath() + ".new";
  for (const char* suffix : {"", "-wal", "-journal"}) ::unlink((path + suffix).c_str());
  {
    SqliteJournal fresh(directory_);
    KEELSON_RETURN_IF_ERROR(fresh.OpenDatabase(path));
    ::chmod(path.c_str(), 0600);
    const State state{.revision = kFirstRevision};
    const std::string sql =
        "BEGIN;" + std::string(kSchema) + "PRAGMA application_id=" + std::to_string(kApplicationId) +
        ";PRAGMA user_version=" + std::to_string(kSchemaVersion) + ";INSERT INTO state VALUES (1, " +
        std::to_string(state.revision) + ", 0, 0, " + std::to_string(static_cast<int64_t>(state.Check())) + ");COMMIT;";
    KEELSON_RETURN_IF_ERROR(fresh.Run(sql.c_str()));
  }
  if (::rename(path.c_str(), DatabasePath().c_str()) != 0) {
    return Error::InvalidArgument("\"" + DatabasePath() + "\" cannot be made: " + ErrnoText());
  }
  return {};
}

// By its first bytes, before SQLite looks at it.
Result<void> SqliteJournal::CheckFile() const {
  unsigned char header[kSqliteHeaderBytes] = {};
  std::ifstream file(DatabasePath(), std::ios::binary);
  if (!file) return Error::InvalidArgument("\"" + DatabasePath() + "\" cannot be read");
  file.read(reinterpret_cast<char*>(header), sizeof header);
  if (file.gcount() != sizeof header || std::memcmp(header, "SQLite format 3", 16) != 0) {
    return Error(ErrorCode::kInternal, "\"" + DatabasePath() +
                                           "\" is not a database of this program, or its beginning " +
                                           "is damaged; nothing was changed. Choose another directory, or restore it");
  }
  if (BigEndian(header + 68) != kApplicationId) {
    return Error::InvalidArgument("\"" + DatabasePath() + "\" is a database of another program; nothing was changed. " +
                                  "Choose another directory");
  }
  if (const uint32_t version = BigEndian(header + 60); version != kSchemaVersion) {
    return Error::InvalidArgument("\"" + DatabasePath() + "\" has version " + std::to_string(version) +
                                  " of the format, this program reads version " + std::to_string(kSchemaVersion) +
                                  "; nothing was changed. Use the program that wrote it");
  }
  if (Result<void> log = CheckWriteAheadLog(DatabasePath() + "-wal"); !log) return Damaged(log.error().message());
  return {};
}

Result<void> SqliteJournal::OpenDatabase(const std::string& path) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) return Failure("cannot be opened");
  return Run(kSettings);
}

Result<void> SqliteJournal::Run(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Failure("cannot be written");
  return {};
}

Result<SqliteJournal::Statement> SqliteJournal::Prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    return Damaged(sqlite3_errmsg(database_));
  }
  return Statement(statement);
}

Result<void> SqliteJournal::ReadState() {
  KEELSON_TRY(state, Prepare("SELECT revision, objects, digest, checked FROM state"));
  if (sqlite3_step(state.get()) != SQLITE_ROW) return Damaged("its state cannot be read");
  state_ = {.revision = sqlite3_column_int64(state.get(), 0),
            .objects = sqlite3_column_int64(state.get(), 1),
            .digest = static_cast<uint64_t>(sqlite3_column_int64(state.get(), 2))};
  if (static_cast<uint64_t>(sqlite3_column_int64(state.get(), 3)) != state_.Check()) {
    return Damaged("its state does not add up");
  }
  KEELSON_TRY(names, Prepare("SELECT id, name FROM collections ORDER BY id"));
  int step = 0;
  while ((step = sqlite3_step(names.get())) == SQLITE_ROW) {
    if (sqlite3_column_int64(names.get(), 0) != static_cast<int64_t>(collections_.size())) {
      return Damaged("a collection is missing");
    }
    collections_.emplace_back(Column(names.get(), 1));
  }
  if (step != SQLITE_DONE) return Damaged(sqlite3_errmsg(database_));
  kept_collections_ = collections_.size();
  return {};
}

Result<void> SqliteJournal::Load(const Add& add) {
  int64_t objects = 0;
  uint64_t digest = 0;
  {
    KEELSON_TRY(rows, Prepare("SELECT revision, collection, namespace, name, uid, json, revision_at, labels, fields"
                              " FROM objects ORDER BY revision"));
    int step = 0;
    while ((step = sqlite3_step(rows.get())) == SQLITE_ROW) {
      sqlite3_stmt* row = rows.get();
      const int64_t collection = sqlite3_column_int64(row, 1);
      const Row object{.revision = sqlite3_column_int64(row, 0),
                       .namespace_ = Column(row, 2),
                       .name = Column(row, 3),
                       .uid = Column(row, 4),
                       .json = Column(row, 5),
                       .revision_at = static_cast<size_t>(sqlite3_column_int64(row, 6)),
                       .labels = Column(row, 7),
                       .fields = Column(row, 8)};
      if (collection < 0 || collection >= static_cast<int64_t>(collections_.size()) ||
          object.revision > state_.revision) {
        return Damaged("the row of object \"" + std::string(object.name) + "\" cannot be");
      }
      digest += object.Digest(collections_[static_cast<size_t>(collection)]);
      ++objects;
      Draft draft{.namespace_ = object.namespace_,
                  .name = object.name,
                  .uid = object.uid,
                  .json = std::string(object.json),
                  .revision_at = object.revision_at};
      const std::string digits = std::to_string(object.revision);
      if (draft.revision_at > draft.json.size() || draft.json.compare(draft.revision_at, digits.size(), digits) != 0 ||
          !Unpack(object.labels, draft.labels) || !Unpack(object.fields, draft.fields)) {
        return Damaged("object \"" + std::string(object.name) + "\" does not add up");
      }
      draft.json.erase(draft.revision_at, digits.size());
      if (Result<void> added = add(static_cast<uint32_t>(collection), std::move(draft), object.revision); !added) {
        return Damaged(added.error().message());
      }
    }
    if (step != SQLITE_DONE) return Damaged(sqlite3_errmsg(database_));
  }
  if (objects != state_.objects || digest != state_.digest) {
    return Damaged("expected " + std::to_string(state_.objects) + " objects as last written, found " +
                   std::to_string(objects) + " that differ from these");
  }
  // It is whole. From here on the log begins anew, so that CheckWriteAheadLog never sees what two processes wrote.
  sqlite3_db_config(database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  KEELSON_RETURN_IF_ERROR(Run("PRAGMA wal_checkpoint(TRUNCATE)"));
  return PrepareStatements();
}

Result<void> SqliteJournal::PrepareStatements() {
  const std::pair<Statement*, const char*> statements[] = {
      {&begin_, "BEGIN"},
      {&commit_, "COMMIT"},
      {&insert_, "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&remove_, "DELETE FROM objects WHERE revision = ?"},
      {&name_collection_, "INSERT INTO collections VALUES (?, ?)"},
      {&set_state_, "UPDATE state SET revision = ?, objects = ?, digest = ?, checked = ?"},
  };
  for (const auto& [statement, sql] : statements) {
    KEELSON_TRY(prepared, Prepare(sql));
    *statement = std::move(prepared);
  }
  return {};
}

void SqliteJournal::AddCollection(std::string_view name) { collections_.emplace_back(name); }

Result<void> SqliteJournal::Step(sqlite3_stmt* statement, const char* what) {
  const int step = sqlite3_step(statement);
  Result<void> result;
  if (step != SQLITE_DONE) result = Failure(what);
  sqlite3_reset(statement);
  return result;
}

Result<void> SqliteJournal::WriteCollections() {
  for (size_t id = kept_collections_; id < collections_.size(); ++id) {
    sqlite3_bind_int64(name_collection_.get(), 1, static_cast<int64_t>(id));
    BindText(name_collection_.get(), 2, collections_[id]);
    KEELSON_RETURN_IF_ERROR(Step(name_collection_.get(), "a collection cannot be added"));
  }
  return {};
}

Result<void> SqliteJournal::WriteRows(std::span<const JournalWrite> writes, State& state) {
  for (const JournalWrite& write : writes) {
    const Event& event = *write.event;
    const std::string_view collection = collections_[write.collection];
    if (const ObjectPtr& previous = event.previous()) {
      sqlite3_bind_int64(remove_.get(), 1, previous->revision());
      KEELSON_RETURN_IF_ERROR(Step(remove_.get(), "an object cannot be replaced"));
      if (sqlite3_changes(database_) != 1) return Error::Internal("data directory: an object's row is not there");
      const std::string labels = Pack(previous->labels());
      const std::string fields = Pack(previous->fields());
      state.digest -= RowOf(*previous, labels, fields).Digest(collection);
      --state.objects;
    }
    if (event.kind() != Event::Kind::kDeleted) {
      const std::string labels = Pack(event.object()->labels());
      const std::string fields = Pack(event.object()->fields());
      const Row row = RowOf(*event.object(), labels, fields);
      sqlite3_stmt* insert = insert_.get();
      sqlite3_bind_int64(insert, 1, row.revision);
      sqlite3_bind_int64(insert, 2, write.collection);
      BindText(insert, 3, row.namespace_);
      BindText(insert, 4, row.name);
      BindText(insert, 5, row.uid);
      BindBlob(insert, 6, row.json);
      sqlite3_bind_int64(insert, 7, static_cast<int64_t>(row.revision_at));
      BindBlob(insert, 8, row.labels);
      BindBlob(insert, 9, row.fields);
      KEELSON_RETURN_IF_ERROR(Step(insert, "an object cannot be written"));
      state.digest += row.Digest(collection);
      ++state.objects;
    }
    state.revision = event.revision();
  }
  sqlite3_bind_int64(set_state_.get(), 1, state.revision);
  sqlite3_bind_int64(set_state_.get(), 2, state.objects);
  sqlite3_bind_int64(set_state_.get(), 3, static_cast<int64_t>(state.digest));
  sqlite3_bind_int64(set_state_.get(), 4, static_cast<int64_t>(state.Check()));
  return Step(set_state_.get(), "the revision cannot be written");
}

Result<void> SqliteJournal::Commit(std::span<const JournalWrite> writes) {
  if (in_doubt_) {
    return Error(ErrorCode::kUnavailable, "data directory \"" + directory_ + "\" failed in an earlier write: restart " +
                                              "once it can be written again");
  }
  KEELSON_RETURN_IF_ERROR(Step(begin_.get(), "no transaction can be begun"));
  State state = state_;
  Result<void> written = WriteCollections();
  if (written) written = WriteRows(writes, state);
  if (written) written = Step(commit_.get(), "the transaction cannot be committed");
  if (!written) {
    // What the failed transaction left in the log must not stay there: see CheckWriteAheadLog.
    if (!sqlite3_get_autocommit(database_)) in_doubt_ |= !Run("ROLLBACK");
    in_doubt_ |= !Run("PRAGMA wal_checkpoint(TRUNCATE)");
    return written;
  }
  state_ = state;
  kept_collections_ = collections_.size();
  return {};
}

}  // namespace keelson::apiserver::internal
