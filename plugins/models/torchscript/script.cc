// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/torchscript/script.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/version.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

namespace {

namespace jit = torch::jit;

/// Of a message of many lines the one that says what is wrong.
std::string essence(const std::exception& error) {
  const auto* own = dynamic_cast<const c10::Error*>(&error);
  const std::string text = own ? own->what_without_backtrace() : error.what();
  // The interpreter puts a trace of the user's source before the cause.
  const auto cause = text.rfind("RuntimeError: ");
  const std::string rest = cause == std::string::npos ? text : text.substr(cause + 14);
  const auto begin = rest.find_first_not_of(" \n");
  return begin == std::string::npos ? text : rest.substr(begin, rest.find('\n', begin) - begin);
}

jit::Module load(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) throw std::invalid_argument(file + ": no such file");
  try {
    return jit::load(file, torch::kCPU);
  } catch (const std::exception& error) {
    throw std::invalid_argument(
        file + ": not a TorchScript file that libtorch " TORCH_VERSION " reads: " + essence(error));
  }
}

/// torch.nn.Linear, by what it holds: traced files do not always keep its name.
std::optional<LinearHead> as_linear(const std::string& name, const jit::Module& module) {
  if (!module.hasattr("weight") || !module.attr("weight").isTensor()) return std::nullopt;
  const Tensor weight = module.attr("weight").toTensor().detach();
  if (weight.dim() != 2 || !weight.is_floating_point()) return std::nullopt;
  Tensor bias;
  if (module.hasattr("bias") && module.attr("bias").isTensor())
    bias = module.attr("bias").toTensor().detach();
  else if (module.type()->name() && module.type()->name()->name() == "Linear")
    bias = torch::zeros({weight.size(0)});
  if (!bias.defined() || bias.dim() != 1 || bias.size(0) != weight.size(0)) return std::nullopt;
  const Tensor w = weight.to(torch::kFloat32).contiguous();
  const Tensor b = bias.to(torch::kFloat32).contiguous();
  return LinearHead{name,
                    Eigen::Map<const LinearHead::Weight>(w.data_ptr<float>(), w.size(0), w.size(1)),
                    Eigen::Map<const Eigen::VectorXf>(b.data_ptr<float>(), b.size(0))};
}

/// Dotted name of the submodule that a value is; "" for the module itself, none for other values.
std::optional<std::string> submodule_name(const jit::Value* value, const jit::Graph& graph) {
  if (value == graph.inputs()[0]) return "";
  const jit::Node* node = value->node();
  if (node->kind() != c10::prim::GetAttr) return std::nullopt;
  const auto parent = submodule_name(node->input(), graph);
  if (!parent) return std::nullopt;
  return (parent->empty() ? "" : *parent + ".") + node->s(c10::attr::name);
}

/// Calls of the submodule in the graph. The methods that lie between are put in place, so that the
/// call is in this graph and not in one that it calls.
std::vector<jit::Node*> find_calls(jit::Graph& graph, const std::string& layer) {
  for (;;) {
    std::vector<jit::Node*> found;
    jit::Node* between = nullptr;
    for (jit::Node* node : jit::findAllNodes(graph, c10::prim::CallMethod, /*recurse=*/true)) {
      const auto name = submodule_name(node->input(0), graph);
      if (!name) continue;
      if (*name == layer)
        found.push_back(node);
      else if (name->empty() || layer.starts_with(*name + "."))
        between = node;
    }
    if (!between) return found;
    const auto type = between->input(0)->type()->expect<c10::ClassType>();
    auto& method = jit::toGraphFunction(type->getMethod(between->s(c10::attr::name)));
    // Its own graph: the optimised one, which is the default, has no calls left in it.
    jit::inlineCallTo(between, &method, method.graph().get());
  }
}

Tensor to_tensor(const Block& block) {
  return torch::from_blob(const_cast<float*>(block.values.data()), block.shape).clone();
}

Block to_block(const Tensor& tensor) {
  const Tensor values = tensor.detach().to(torch::kFloat32).contiguous();
  const float* begin = values.data_ptr<float>();
  return {values.sizes().vec(), {begin, begin + values.numel()}};
}

}  // namespace

Script::Script(const std::string& file, const std::string& layer, const std::string& head,
               Above above)
    : file_(file), layer_(layer), module_(load(file)) {
  if (!module_.find_method("forward")) throw std::invalid_argument(file + ": has no forward()");
  module_.eval();
  // Above a layer in the middle there need not be one linear layer that is the head.
  if (above == Above::kLinear || !head.empty()) find_head(head);
  watch(above);
}

void Script::find_head(const std::string& name) {
  std::vector<std::string> names, linear_names;
  std::optional<LinearHead> last, named;
  bool layer_seen = false, name_seen = false;
  for (const auto& entry : module_.named_modules()) {
    if (entry.name.empty()) continue;  // the module itself
    names.push_back(entry.name);
    const auto linear = as_linear(entry.name, entry.value);
    if (linear) linear_names.push_back(entry.name);
    if (entry.name == name) {
      name_seen = true;
      named = linear;
    }
    if (linear && layer_seen) last = linear;
    layer_seen = layer_seen || entry.name == layer_;
  }
  if (!layer_seen)
    throw std::invalid_argument(file_ + ": no layer '" + layer_ +
                                "'; its submodules: " + listed(names));
  if (name.empty()) {
    if (!last)
      throw std::invalid_argument(file_ + ": no linear submodule after layer '" + layer_ +
                                  "'; linear ones: " + listed(linear_names));
    head_ = *last;
    return;
  }
  if (!named)
    throw std::invalid_argument(file_ + ": head '" + name + "' is " +
                                (name_seen ? "not linear" : "not there") +
                                "; linear submodules: " + listed(linear_names));
  head_ = *named;
}

void Script::watch(Above above) {
  const std::string where = where_layer();
  const auto graph = jit::toGraphFunction(module_.get_method("forward").function()).graph()->copy();
  const auto calls = find_calls(*graph, layer_);
  if (calls.empty()) throw std::invalid_argument(where + "is never called by forward()");
  if (calls.size() > 1)
    throw std::invalid_argument(where + "is called " + std::to_string(calls.size()) +
                                " times by forward(); which is meant?");
  if (calls[0]->owningBlock() != graph->block())
    throw std::invalid_argument(where + "is called within a branch or a loop");
  jit::Value* const layer = calls[0]->output();
  jit::Value* const output = graph->outputs()[0];
  if (!layer->type()->isSubtypeOf(*c10::TensorType::get()))
    throw std::invalid_argument(where + "gives " + layer->type()->repr_str() + " and no tensor");
  if (!output->type()->isSubtypeOf(*c10::TensorType::get()))
    throw std::invalid_argument(file_ + ": forward() gives " + output->type()->repr_str() +
                                " and no tensor");
  if (above == Above::kNetwork) cut(*graph);
  jit::Node* const both = graph->insertNode(graph->createTuple({output, layer}));
  graph->eraseOutput(0);
  graph->registerOutput(both->output());
  // The profiling executor recompiles after some calls, and what it fuses rounds differently.
  watched_ = std::make_shared<jit::GraphFunction>("conoscope.watched", graph, nullptr,
                                                  jit::ExecutorExecutionMode::SIMPLE);
}

void Script::cut(jit::Graph& whole) {
  const auto graph = whole.copy();
  jit::Node* const call = find_calls(*graph, layer_)[0];
  call->output()->replaceAllUsesWith(
      graph->addInput("activations")->setType(c10::TensorType::get()));
  // What is left without a use was there for the layer's sake, checks of its inputs too.
  for (jit::Node* node = call; node != graph->block()->param_node();) {
    jit::Node* const before = node->prev();
    if (!node->hasUses()) node->destroy();
    node = before;
  }
  if (graph->inputs()[1]->hasUses())
    throw std::invalid_argument(where_layer() +
                                "is not all that the output depends on: what lies below it is read "
                                "above it, too");
  above_ = std::make_shared<jit::GraphFunction>("conoscope.above", graph, nullptr,
                                                jit::ExecutorExecutionMode::SIMPLE);
}

Tensor Script::run_above(const Tensor& layer) {
  jit::Stack stack = {module_._ivalue(), torch::zeros({1})};
  module_.get_method("forward").function().getSchema().checkAndNormalizeInputs(stack);
  stack.emplace_back(layer);
  above_->run(stack);
  return stack.back().toTensor();
}

Block Script::above(const Block& layer) {
  make_repeatable();
  const torch::NoGradGuard no_grad;
  try {
    return to_block(run_above(to_tensor(layer)));
  } catch (const std::exception& error) {
    throw std::invalid_argument(where_layer() + "of " + shape_text(layer.shape) + ": " +
                                essence(error));
  }
}

Block Script::gradient(const Block& layer, const Block& cotangents) {
  make_repeatable();
  try {
    const Tensor at = to_tensor(layer).requires_grad_(true);
    // A copy, because a layer may be altered in place, and `at` must not.
    const Tensor output = run_above(at.clone());
    return to_block(torch::autograd::grad({output}, {at}, {to_tensor(cotangents)})[0]);
  } catch (const std::exception& error) {
    throw std::invalid_argument(where_layer() + "of " + shape_text(layer.shape) + ": " +
                                essence(error));
  }
}

void Script::redraw(sdk::Seed seed) {
  std::vector<Tensor> weights;
  for (const Tensor& weight : module_.parameters()) weights.push_back(weight);
  if (weights.empty())
    throw sdk::NotApplicable(file_ +
                             ": its weights are constants of the file (was it frozen?), so "
                             "none can be drawn anew");
  permute_entries(weights, seed);
}

std::pair<Tensor, Tensor> Script::run_watched(const Tensor& batch) {
  jit::Stack stack = {module_._ivalue(), batch};
  // Fills in the defaults of further arguments.
  module_.get_method("forward").function().getSchema().checkAndNormalizeInputs(stack);
  watched_->run(stack);
  const auto both = stack.back().toTuple();
  return {both->elements()[0].toTensor(), both->elements()[1].toTensor()};
}

Block Script::batch_gradient(const Block& batch, const Block& cotangents) {
  make_repeatable();
  try {
    const Tensor at = to_tensor(batch).requires_grad_(true);
    // A copy, because a network may alter its inputs in place, and `at` must not.
    const Tensor layer = run_watched(at.clone()).second;
    Tensor gradient;
    if (layer.requires_grad())
      gradient = torch::autograd::grad({layer}, {at}, {to_tensor(cotangents)}, /*retain_graph=*/{},
                                       /*create_graph=*/false, /*allow_unused=*/true)[0];
    if (!gradient.defined())
      throw sdk::NotApplicable(where_layer() + "has no derivative by the inputs");
    return to_block(gradient);
  } catch (const sdk::NotApplicable&) {
    throw;
  } catch (const std::exception& error) {
    throw std::invalid_argument(file_ + " on inputs of " + shape_text(batch.shape) + ": " +
                                essence(error));
  }
}

Script::Answer Script::operator()(const Block& batch) {
  make_repeatable();
  const torch::NoGradGuard no_grad;
  try {
    const auto [output, layer] = run_watched(to_tensor(batch));
    return {to_block(output), to_block(layer)};
  } catch (const std::exception& error) {
    throw std::invalid_argument(file_ + " on inputs of " + shape_text(batch.shape) + ": " +
                                essence(error));
  }
}

}  // namespace conoscope::models
