// The tools list_directory and tree.
#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "sys/file.h"
#include "tools/refusal.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::size_t kMostEntries = 2000;
constexpr std::size_t kUsualDepth = 4, kDeepest = 32;
constexpr std::string_view kRepository = ".git";  // thousands of files that nobody means

constexpr Parameter kListParameters[] = {
    {"path", Kind::Path, Presence::Optional, "The directory; usually the workspace."},
    {"sizes", Kind::Flag, Presence::Optional, "With the size of each file."},
    {"sortBy", Kind::Text, Presence::Optional, "name, as usual; or size: the largest first."},
    {"offset", Kind::Number, Presence::Optional, "Leave out so many: nextOffset of an answer that was cut."},
};
constexpr Parameter kWithSizesParameters[] = {kListParameters[0], kListParameters[2], kListParameters[3]};
constexpr Parameter kTreeParameters[] = {
    {"path", Kind::Path, Presence::Optional, "The directory; usually the workspace."},
    {"depth", Kind::Number, Presence::Optional, "How many levels; usually 4."},
    {"excludePatterns", Kind::Texts, Presence::Optional, "Names to leave out, such as node_modules or *.o."},
};
constexpr std::string_view kListSchema =
    R"({"type":"object","properties":{"path":{},"entries":{"type":"array","items":{"type":"object","properties":{)"
    R"("name":{},"type":{"type":"string","enum":["file","directory","symlink","other"]},"size":{"type":"integer"}},)"
    R"("required":["name","type"]}},"truncated":{"type":"boolean"},"nextOffset":{"type":"integer"}},)"
    R"("required":["path","entries","truncated"]})";
constexpr std::string_view kTreeSchema =
    R"({"type":"object","properties":{"path":{},"entries":{"type":"array","items":{"type":"object","properties":{)"
    R"("path":{},"type":{"type":"string","enum":["file","directory","symlink","other"]}},"required":["path","type"]}},)"
    R"("truncated":{"type":"boolean","description":"Whether there is more than fits into an answer."}},)"
    R"("required":["path","entries","truncated"]})";

std::string_view mark_of(sys::FileKind kind) {
  switch (kind) {
    case sys::FileKind::File: return "[FILE] ";
    case sys::FileKind::Directory: return "[DIR] ";
    case sys::FileKind::Symlink: return "[LINK] ";
    default: return "[OTHER] ";
  }
}

std::string path_of(const Call& call) { return call.arguments.has("path") ? call.arguments.path("path") : "."; }

struct Listing {
  sys::Fd directory;
  std::vector<sys::Entry> entries;
};

Result<Listing> list(int directory, const std::string& path) {
  PALE_TRY(fd, sys::open_at(directory, path.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(entries, sys::list_directory(fd));
  std::ranges::sort(entries, {}, &sys::Entry::name);
  return Listing{std::move(fd), std::move(entries)};
}

enum class Sizes { Left, Shown };

// Of each, as long as the list.
std::vector<std::uint64_t> sizes_of(const Listing& listing) {
  std::vector<std::uint64_t> sizes;
  for (const sys::Entry& entry : listing.entries) {
    const bool is_file = entry.kind == sys::FileKind::File;
    const auto info = is_file ? sys::file_info(listing.directory.borrow(), entry.name.c_str()) : sys::FileInfo{};
    sizes.push_back(info && is_file ? info->size : 0);
  }
  return sizes;
}

void sort_by_size(Listing& listing) {
  const auto sizes = sizes_of(listing);
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t at) { return sizes[at]; });
  std::vector<sys::Entry> sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(listing.entries[at]));
  listing.entries = std::move(sorted);
}

Answer listed(const std::string& path, Listing& listing, std::size_t offset, Sizes shown) {
  const std::size_t count = listing.entries.size();
  const std::size_t first = std::min(count, offset);
  const std::size_t end = std::min(count, first + kMostEntries);
  listing.entries.erase(listing.entries.begin() + static_cast<std::ptrdiff_t>(end), listing.entries.end());
  listing.entries.erase(listing.entries.begin(), listing.entries.begin() + static_cast<std::ptrdiff_t>(first));
  const auto sizes = shown == Sizes::Shown ? sizes_of(listing) : std::vector<std::uint64_t>();
  std::string text;
  JsonWriter data;
  data.begin_object().field("path", path).key("entries").begin_array();
  for (std::size_t at = 0; at < listing.entries.size(); ++at) {
    const sys::Entry& entry = listing.entries[at];
    data.begin_object().field("name", entry.name).field("type", to_text(entry.kind));
    text.append(mark_of(entry.kind)).append(printable(entry.name));
    if (!sizes.empty() && entry.kind == sys::FileKind::File) {
      data.field("size", sizes[at]);
      text += "  " + std::to_string(sizes[at]);
    }
    data.end_object();
    text += '\n';
  }
  data.end_array().field("truncated", end < count);
  if (end < count) {
    data.field("nextOffset", end);
    text += "[There are " + std::to_string(count) + ". Go on with offset " + std::to_string(end) + ".]\n";
  }
  data.end_object();
  return text_answer(text.empty() ? "It is empty." : text, data);
}

Result<Answer> list_with(const Call& call, Sizes shown) {
  const std::string path = path_of(call);
  const std::string order = call.arguments.text("sortBy");
  if (!order.empty() && order != "name" && order != "size")
    return fail(ErrorKind::Usage, "sortBy:", "must be name or size");
  auto listing = list(call.root(), path);
  if (!listing) return refuse(call, Operation::Read, path, listing.error());
  if (order == "size") sort_by_size(*listing);
  return listed(path, *listing, call.arguments.number("offset").value_or(0), shown);
}

Result<Answer> list_directory(const Call& call) {
  return list_with(call, call.arguments.flag("sizes") ? Sizes::Shown : Sizes::Left);
}

Result<Answer> list_directory_with_sizes(const Call& call) { return list_with(call, Sizes::Shown); }

// Goes down without following a link; what cannot be opened is shown, and not gone into.
class Walk {
 public:
  Walk(std::size_t depth, std::vector<std::string> excluded) : depth_(depth), excluded_(std::move(excluded)) {
    data_.begin_object();
  }

  void visit(const Listing& listing, const std::string& above, std::size_t level) {
    for (const sys::Entry& entry : listing.entries) {
      if (is_excluded(entry.name)) continue;
      if (count_ == kMostEntries) {
        cut_ = true;
        return;
      }
      ++count_;
      const std::string path = above.empty() ? entry.name : above + "/" + entry.name;
      const bool directory = entry.kind == sys::FileKind::Directory;
      data_.begin_object().field("path", path).field("type", to_text(entry.kind)).end_object();
      text_ += std::string(2 * level, ' ') + printable(entry.name) + (directory ? "/" : "") + "\n";
      if (directory && level + 1 < depth_ && entry.name != kRepository) go_into(listing, entry, path, level + 1);
    }
  }

  JsonWriter& data() { return data_; }
  Answer answer() {
    data_.end_array().field("truncated", cut_).end_object();
    if (cut_) text_ += "[There is more: look into a directory of it, or leave out some with excludePatterns.]\n";
    return text_answer(text_.empty() ? "It is empty." : text_, data_);
  }

 private:
  void go_into(const Listing& listing, const sys::Entry& entry, const std::string& path, std::size_t level) {
    const auto fd = sys::open_at(listing.directory.borrow(), entry.name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return;
    if (const auto inner = list(fd->borrow(), ".")) visit(*inner, path, level);
  }
  bool is_excluded(const std::string& name) const {
    return std::ranges::any_of(excluded_, [&](const std::string& pattern) { return name_matches(pattern, name); });
  }

  std::size_t depth_;
  std::vector<std::string> excluded_;
  std::size_t count_ = 0;
  bool cut_ = false;
  std::string text_;
  JsonWriter data_;
};

Result<Answer> tree(const Call& call) {
  const std::string path = path_of(call);
  const auto listing = list(call.root(), path);
  if (!listing) return refuse(call, Operation::Read, path, listing.error());
  const std::size_t depth = std::min<std::size_t>(kDeepest, call.arguments.number("depth").value_or(kUsualDepth));
  Walk walk(depth, call.arguments.texts("excludePatterns"));
  walk.data().field("path", path).key("entries").begin_array();
  if (depth > 0) walk.visit(*listing, "", 0);
  return walk.answer();
}

}  // namespace

constinit const Tool kListDirectory = {"list_directory", "List a directory", "What is in a directory, by name.",
                                       kListParameters,  kListSchema,        kOnlyLooks,
                                       Power::List,      list_directory};

constinit const Tool kListDirectoryWithSizes = {"list_directory_with_sizes",
                                                "List a directory",
                                                "What is in a directory, with the size of each file.",
                                                kWithSizesParameters,
                                                kListSchema,
                                                kOnlyLooks,
                                                Power::List,
                                                list_directory_with_sizes};

constinit const Tool kTree = {
    "tree",
    "Show a tree",
    "What is in a directory and below it, some levels deep. Links are not followed, and .git is not gone into.",
    kTreeParameters,
    kTreeSchema,
    kOnlyLooks,
    Power::List,
    tree};

}  // namespace pale::tools
