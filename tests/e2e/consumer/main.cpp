// Privatizes the first argument with the model named by the second.
#include <cstdio>

#include <sotto/sotto.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  sotto::PrivatizeOptions options;
  options.mechanism.epsilon = 1;
  options.mechanism.model = argv[2];
  const auto privatizer = sotto::Privatizer::make(options);
  if (!privatizer) {
    std::fprintf(stderr, "%s\n", describe(privatizer.error()).c_str());
    return 1;
  }
  sotto::Counts counts;
  const auto text = (*privatizer)->privatize({"consumer", "1", ""}, argv[1], counts);
  if (!text) return 1;
  std::printf("%s\n%llu\n%s\n", text->c_str(), static_cast<unsigned long long>(counts.privatized),
              sotto::library_version());
}
