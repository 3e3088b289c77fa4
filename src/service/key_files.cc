#include "service/key_files.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "sys/file.h"

namespace pale::service {
namespace {

bool is_read_inside(const Boundary& boundary, const Path& outside) {
  return std::ranges::any_of(boundary.grants(), [&](const Grant& grant) {
    if (!grant.source.covers(outside)) return false;
    const Path place = grant.source == outside ? grant.path : grant.path / grant.source.below(outside);
    const Grant* const closest = boundary.grant_for(place);
    return closest != nullptr && closest->access >= Access::Read;
  });
}

}  // namespace

Status check_key_files(const Boundary& boundary, const project::NetworkConfig& config) {
  for (const project::NamedKey& named : config.keys) {
    const network::Secret& secret = named.key.secret;
    const bool had = std::ranges::count(boundary.credentials(), named.key.credential) != 0;
    if (!had || secret.source != network::Secret::Source::File) continue;
    const auto fd = sys::open_at(sys::kAbsolute, secret.words.front().c_str(), O_PATH);
    if (!fd) continue;
    PALE_TRY(text, sys::path_of(*fd));
    PALE_TRY(path, Path::parse(text));
    if (is_read_inside(boundary, path))
      return fail(ErrorKind::Refused, "the key " + named.key.credential.name + " could be read inside:", path.text(),
                  "move it to where nothing inside can look, or --hide " + shell_word(path.text()));
  }
  return {};
}

}  // namespace pale::service
