// 1-Diffractor with geometric noise (1-D_G).
#pragma once

#include <memory>

#include <sotto/mechanism.hpp>

namespace sotto {

MechanismInfo diffractor_geometric_info();

/// `parameters` must be complete (see complete_parameters).
Result<std::unique_ptr<Mechanism>> make_diffractor_geometric(std::shared_ptr<const Model> model,
                                                             double epsilon,
                                                             const ParameterValues& parameters);

}  // namespace sotto
