// refs/repository.h: the objects of a repository, read with libgit2: none of its hooks, filters or drivers run, and no
// configuration but its own is read. Objects that are too large to be what they say are refused before they are unpacked.
#pragma once

#include <memory>

#include "refs/judge.h"

struct git_repository;
struct git_odb;

namespace pale::refs {

class Repository final : public Objects {
 public:
  static Result<Repository> open(const Path& git_directory);

  Result<Object> peel(const std::string& id) override;
  Result<Commit> commit(const std::string& id) override;
  Result<std::vector<TreeEntry>> entries(const std::string& id) override;
  bool has(const std::string& id) override;
  git_repository* raw() const noexcept { return repository_.get(); }

 private:
  struct Free {
    void operator()(git_repository* repository) const noexcept;
    void operator()(git_odb* objects) const noexcept;
  };
  Repository(git_repository* repository, git_odb* objects) : repository_(repository), objects_(objects) {}
  Result<int> kind_of(const std::string& id);

  std::unique_ptr<git_repository, Free> repository_;
  std::unique_ptr<git_odb, Free> objects_;
};

// Once, before anything of it is used.
void set_up_library();
std::unexpected<Error> library_error(std::string operation, std::string subject);

}  // namespace pale::refs
