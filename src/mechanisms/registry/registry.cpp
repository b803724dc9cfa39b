// The single table of mechanisms: name, kind, description and, if word by word, factory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>

#include "base/checked_value.hpp"
#include "base/suggestion.hpp"
#include "mechanisms/groups/custext.hpp"
#include "mechanisms/groups/syntf.hpp"
#include "mechanisms/lists/diffractor_geometric.hpp"
#include "mechanisms/lists/diffractor_tem.hpp"
#include "mechanisms/mechanism_family.hpp"
#include "mechanisms/noise/cmp.hpp"
#include "mechanisms/noise/gumbel.hpp"
#include "mechanisms/noise/mahalanobis.hpp"
#include "mechanisms/noise/vickrey.hpp"
#include "mechanisms/noise/vickrey_k.hpp"
#include "mechanisms/parameter_values.hpp"
#include "mechanisms/registry/language_mechanisms.hpp"
#include "mechanisms/selection/santext.hpp"
#include "mechanisms/selection/santext_plus.hpp"
#include "mechanisms/selection/tem.hpp"

namespace sotto {
using namespace mechanism;
namespace {

using Factory = Result<MechanismFamily> (*)(const MechanismRequest&);

/// Normalizes sets of values that mean the same.
using Unifier = void (*)(ParameterValues&);

struct Entry {
  MechanismInfo info;
  Factory prepare = nullptr;  // only if word by word
  Unifier unify = nullptr;
};

Entry of_kind(MechanismKind kind, MechanismInfo info) {
  info.kind = kind;
  return {std::move(info)};
}

Entry word_by_word(MechanismInfo info, Factory prepare, Unifier unify = nullptr) {
  Entry entry = of_kind(MechanismKind::word_by_word, std::move(info));
  entry.prepare = prepare;
  entry.unify = unify;
  return entry;
}

// Those with a language model are made by the pipeline (TextMechanism).
Entry masked(MechanismInfo info) {
  return of_kind(MechanismKind::masked, std::move(info));
}

Entry generated(MechanismInfo info) {
  return of_kind(MechanismKind::generated, std::move(info));
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      word_by_word(diffractor_geometric_info(), prepare_diffractor_geometric),
      word_by_word(diffractor_tem_info(), prepare_diffractor_tem),
      word_by_word(custext_info(), prepare_custext),
      word_by_word(santext_info(), prepare_santext),
      word_by_word(santext_plus_info(), prepare_santext_plus),
      word_by_word(tem_info(), prepare_tem),
      word_by_word(cmp_info(), prepare_cmp),
      word_by_word(mahalanobis_info(), prepare_mahalanobis),
      word_by_word(vickrey_info(), prepare_vickrey),
      word_by_word(vickrey_k_info(), prepare_vickrey_k, shorten_equal_t),
      word_by_word(gumbel_info(), prepare_gumbel),
      word_by_word(syntf_info(), prepare_syntf),
      masked(dp_mlm_info()),
      masked(dp_mlm_plus_info()),
      generated(dp_paraphrase_info()),
      generated(dp_prompt_info()),
  };
  return all;
}

Result<const Entry*> find_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return &entry;
    names.push_back(entry.info.name);
  }
  return fail_parameter("mechanism", name,
                        fmt::format("'{}' is not a mechanism{}; there are {}", name,
                                    base::suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace

const std::vector<MechanismInfo>& mechanisms() {
  static const std::vector<MechanismInfo> infos = [] {
    std::vector<MechanismInfo> all;
    for (const Entry& entry : entries()) all.push_back(entry.info);
    return all;
  }();
  return infos;
}

Result<const MechanismInfo*> find_mechanism(std::string_view name) {
  SOTTO_ASSIGN(const Entry* entry, find_entry(name));
  return &entry->info;
}

bool rewrites_whole_texts(std::string_view mechanism) {
  const auto entry = find_entry(mechanism);
  return entry && (*entry)->info.kind != MechanismKind::word_by_word;
}

Result<const MechanismInfo*> find_word_mechanism(std::string_view name) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(name));
  if (info->kind == MechanismKind::word_by_word) return info;
  return fail_parameter(
      "mechanism", name,
      base::format_message(
          "'{}' rewrites whole texts and says nothing about single words; use it with '{{0}}'", name),
      Errc::invalid_argument, {{"privatize", {{"mechanism", std::string(name)}, {"epsilon", ""}}}});
}

Result<ParameterValues> complete_parameters(const MechanismInfo& info, const ParameterValues& given) {
  SOTTO_ASSIGN(ParameterValues complete, complete_values(info.name, info.parameters, given));
  SOTTO_ASSIGN(const Entry* entry, find_entry(info.name));
  if (entry->unify != nullptr) entry->unify(complete);
  return complete;
}

Result<std::unique_ptr<Mechanism>> make_mechanism(std::string_view name, std::shared_ptr<const Model> model,
                                                  double epsilon, const ParameterValues& parameters,
                                                  const MechanismResources& resources) {
  SOTTO_TRY(find_word_mechanism(name));
  SOTTO_ASSIGN(const Entry* entry, find_entry(name));
  SOTTO_TRY(check_epsilon("epsilon", epsilon));
  SOTTO_ASSIGN(ParameterValues complete, complete_parameters(entry->info, parameters));
  SOTTO_ASSIGN(const MechanismFamily family,
               entry->prepare({std::move(model), std::move(complete), resources, false}));
  return family.at(epsilon);
}

Result<MechanismFamily> mechanism::prepare_mechanism(std::string_view name,
                                                     std::shared_ptr<const Model> model,
                                                     const ParameterValues& parameters,
                                                     const MechanismResources& resources) {
  SOTTO_TRY(find_word_mechanism(name));
  SOTTO_ASSIGN(const Entry* entry, find_entry(name));
  SOTTO_ASSIGN(ParameterValues complete, complete_parameters(entry->info, parameters));
  return entry->prepare({std::move(model), std::move(complete), resources, true});
}

}  // namespace sotto
