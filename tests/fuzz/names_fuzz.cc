// Questions for names and their answers: what is answered answers the question.
#include "fuzz/property.h"
#include "proxy/name_message.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace pale::proxy;
  const std::string_view bytes = pale::fuzz::as_text(data, size);
  (void)parse_answer(bytes, 1, "a.test", kTypeA);
  const auto question = parse_question(bytes);
  if (!question) return 0;
  const std::string answer = answer_to(*question, NameCode::Fine, {pale::Address::v4(0xc6120001)});
  if (question->name.empty() || question->klass != kClassInternet) return 0;
  pale::fuzz::must(parse_answer(answer, question->id, question->name, question->type).has_value(), "it is its answer");
  return 0;
}
