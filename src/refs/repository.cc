#include "refs/repository.h"

#include <git2.h>

namespace pale::refs {
namespace {

constexpr std::size_t kLargestObject = 64UL << 20U;
constexpr int kMostTags = 16;  // of tags of tags

template <typename T, void (*Release)(T*)>
struct Owned {
  T* it = nullptr;
  ~Owned() {
    if (it != nullptr) Release(it);
  }
};

std::string text_of(const git_oid* id) {
  std::string text(GIT_OID_HEXSZ, '0');
  (void)git_oid_fmt(text.data(), id);
  return text;
}

Result<git_oid> id_of(const std::string& text) {
  git_oid id;
  if (git_oid_fromstr(&id, text.c_str()) != 0) return library_error("not the id of an object:", text);
  return id;
}

}  // namespace

std::unexpected<Error> library_error(std::string operation, std::string subject) {
  const git_error* last = git_error_last();
  if (last != nullptr && last->message != nullptr) subject += std::string(": ") + last->message;
  return fail(ErrorKind::System, std::move(operation), std::move(subject));
}

void set_up_library() {
  (void)git_libgit2_init();
  for (const int level :
       {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_PROGRAMDATA})
    (void)git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
  // Whose it is was settled when the run began: it runs with the rights of whoever started it, inside.
  (void)git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
  (void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1);
  // They change nothing of what is read here.
  const char* known[] = {"worktreeconfig", "preciousobjects", "partialclone"};
  (void)git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, known, std::size(known));
}

void Repository::Free::operator()(git_repository* repository) const noexcept { git_repository_free(repository); }
void Repository::Free::operator()(git_odb* objects) const noexcept { git_odb_free(objects); }

Result<Repository> Repository::open(const Path& git_directory) {
  git_repository* repository = nullptr;
  constexpr unsigned kAsItIs = GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE;
  if (git_repository_open_ext(&repository, git_directory.c_str(), kAsItIs, nullptr) != 0)
    return library_error("the repository cannot be read:", git_directory.text());
  git_odb* objects = nullptr;
  if (git_repository_odb(&objects, repository) != 0) {
    git_repository_free(repository);
    return library_error("the repository has no objects:", git_directory.text());
  }
  return Repository(repository, objects);
}

// Its header alone: a few bytes may unpack to any number.
Result<int> Repository::kind_of(const std::string& id) {
  PALE_TRY(object, id_of(id));
  std::size_t size = 0;
  git_object_t kind = GIT_OBJECT_INVALID;
  if (git_odb_read_header(&size, &kind, objects_.get(), &object) != 0) return library_error("read the object", id);
  if (size > kLargestObject && kind != GIT_OBJECT_BLOB)
    return fail(ErrorKind::Refused, "an object is too large to be checked:", id);
  return static_cast<int>(kind);
}

bool Repository::has(const std::string& id) {
  const auto object = id_of(id);
  return object && git_odb_exists(objects_.get(), &*object) == 1;
}

Result<Object> Repository::peel(const std::string& id) {
  std::string at = id;
  for (int tags = 0; tags < kMostTags; ++tags) {
    PALE_TRY(kind, kind_of(at));
    if (kind == GIT_OBJECT_COMMIT) return Object{Object::Kind::Commit, at};
    if (kind == GIT_OBJECT_TREE) return Object{Object::Kind::Tree, at};
    if (kind != GIT_OBJECT_TAG) return Object{Object::Kind::Blob, at};
    PALE_TRY(object, id_of(at));
    Owned<git_tag, git_tag_free> tag;
    if (git_tag_lookup(&tag.it, repository_.get(), &object) != 0) return library_error("read the tag", at);
    at = text_of(git_tag_target_id(tag.it));
  }
  return fail(ErrorKind::Refused, "tags of tags of tags are not followed:", id);
}

Result<Commit> Repository::commit(const std::string& id) {
  PALE_TRY(kind, kind_of(id));
  if (kind != GIT_OBJECT_COMMIT) return fail(ErrorKind::Refused, "this is no commit:", id);
  PALE_TRY(object, id_of(id));
  Owned<git_commit, git_commit_free> found;
  if (git_commit_lookup(&found.it, repository_.get(), &object) != 0) return library_error("read the commit", id);
  const char* subject = git_commit_summary(found.it);
  Commit commit{
      text_of(git_commit_tree_id(found.it)), {}, git_commit_time(found.it), subject == nullptr ? "" : subject};
  for (unsigned at = 0; at < git_commit_parentcount(found.it); ++at)
    commit.parents.push_back(text_of(git_commit_parent_id(found.it, at)));
  return commit;
}

Result<std::vector<TreeEntry>> Repository::entries(const std::string& id) {
  std::vector<TreeEntry> entries;
  if (id.empty()) return entries;
  PALE_TRY(kind, kind_of(id));
  if (kind != GIT_OBJECT_TREE) return fail(ErrorKind::Refused, "this is no tree:", id);
  PALE_TRY(object, id_of(id));
  Owned<git_tree, git_tree_free> tree;
  if (git_tree_lookup(&tree.it, repository_.get(), &object) != 0) return library_error("read the tree", id);
  const std::size_t count = git_tree_entrycount(tree.it);
  entries.reserve(count);
  for (std::size_t at = 0; at < count; ++at) {
    const git_tree_entry* entry = git_tree_entry_byindex(tree.it, at);
    entries.push_back({git_tree_entry_name(entry), static_cast<unsigned>(git_tree_entry_filemode_raw(entry)),
                       text_of(git_tree_entry_id(entry))});
  }
  return entries;
}

}  // namespace pale::refs
