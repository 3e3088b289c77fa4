#include "tools/mime.h"

#include <string>
#include <utility>

namespace pale::tools {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"png", "image/png"},       {"jpg", "image/jpeg"},      {"jpeg", "image/jpeg"},       {"gif", "image/gif"},
    {"webp", "image/webp"},     {"bmp", "image/bmp"},       {"ico", "image/x-icon"},      {"avif", "image/avif"},
    {"tiff", "image/tiff"},     {"mp3", "audio/mpeg"},      {"wav", "audio/wav"},         {"ogg", "audio/ogg"},
    {"flac", "audio/flac"},     {"mp4", "video/mp4"},       {"webm", "video/webm"},       {"pdf", "application/pdf"},
    {"zip", "application/zip"}, {"gz", "application/gzip"}, {"tar", "application/x-tar"}, {"wasm", "application/wasm"},
    {"woff2", "font/woff2"},
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::string_view mime_type_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const std::string extension = dot == std::string_view::npos ? std::string() : lower(name.substr(dot + 1));
  for (const auto& [known, type] : kTypes) {
    if (extension == known) return type;
  }
  return "application/octet-stream";
}

}  // namespace pale::tools
