// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/onnx/onnx_network.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/core/version.hpp>
#include <regex>
#include <stdexcept>

namespace conoscope::models {

namespace {

/// What OpenCV says is wrong, without places in its source.
std::string essence(const std::exception& error) {
  const auto* own = dynamic_cast<const cv::Exception*>(&error);
  if (!own) return error.what();
  static const std::regex place(R"(OpenCV\([^)]*\) \S+ error: \(-?\d+:([^)]*)\) )");
  static const std::regex function(R"( in function '[^']*')"), breaks(R"([\s>]*\n[\s>]*|^> *)");
  std::string text = std::regex_replace(own->err, place, "$1: ");
  text = std::regex_replace(text, function, "");
  text = std::regex_replace(text, breaks, " ");
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  if (begin == std::string::npos) return own->what();
  text = text.substr(begin, end + 1 - begin);
  return own->code == cv::Error::StsAssert ? "assertion failed: " + text : text;
}

/// One thread, and nothing on stderr: what goes wrong is thrown as well.
void make_quiet_and_repeatable() {
  cv::setNumThreads(1);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
}

std::string read_file(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) throw std::invalid_argument(file + ": no such file");
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (!stream.is_open() || stream.bad()) throw std::invalid_argument(file + ": cannot be read");
  return bytes;
}

const std::string& name_of(const OnnxFile::Node& node) {
  return node.name.empty() ? node.outputs[0] : node.name;
}

Block to_block(const cv::Mat& mat) {
  cv::Mat values;
  mat.convertTo(values, CV_32F);
  const auto* begin = values.ptr<float>();
  return {{values.size.p, values.size.p + values.dims}, {begin, begin + values.total()}};
}

Block rows(const Block& all, std::int64_t begin, std::int64_t end) {
  const auto numbers = static_cast<std::ptrdiff_t>(all.values.size()) / all.samples();
  Block part{all.shape, {all.values.begin() + begin * numbers, all.values.begin() + end * numbers}};
  part.shape[0] = end - begin;
  return part;
}

/// The first samples of a part, behind what there is.
void append(Block& all, const Block& part, std::int64_t samples) {
  const Block first = rows(part, 0, samples);
  const std::int64_t before = all.samples();
  all.shape = first.shape;
  all.shape[0] += before;
  all.values.insert(all.values.end(), first.values.begin(), first.values.end());
}

/// Up to rounding, which depends on the number of samples.
bool near(const Block& a, const Block& b) {
  if (a.shape != b.shape) return false;
  float apart = 0.0f, largest = 1.0f;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    apart = std::max(apart, std::abs(a.values[i] - b.values[i]));
    largest = std::max(largest, std::abs(a.values[i]));
  }
  return apart <= 1e-4f * largest;
}

}  // namespace

OnnxNetwork::OnnxNetwork(const std::string& file, const std::string& layer, const std::string& head)
    : file_(file) {
  make_quiet_and_repeatable();
  const std::string bytes = read_file(file);
  read(bytes);
  const Node* node = find(layer);
  if (!node || !layer_of(*node)) {
    std::vector<std::string> names;
    for (const Node& other : graph_.nodes)
      if (layer_of(other)) names.push_back(name_of(other));
    throw std::invalid_argument(file_ + ": no layer '" + layer + "'" +
                                (node ? " that keeps an output of its own in OpenCV" : "") +
                                "; its nodes: " + listed(names));
  }
  watched_ = layer_of(*node)->name;
  head_ = read_head(find_head(head, *node));
  graph_.weights.clear();
}

void OnnxNetwork::read(const std::string& bytes) {
  try {
    graph_ = read_onnx(bytes);
    const auto check_one = [](std::size_t count, const std::string& what) {
      if (count != 1)
        throw std::invalid_argument("has " + std::to_string(count) + " " + what + ", expected one");
    };
    check_one(graph_.inputs.size(), "inputs");
    check_one(graph_.outputs.size(), "outputs");
    net_ = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
  } catch (const cv::Exception& error) {
    throw std::invalid_argument(
        file_ + ": not a network that OpenCV " CV_VERSION " reads: " + essence(error));
  } catch (const std::exception& error) {
    throw std::invalid_argument(file_ + ": " + error.what());
  }
  net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  net_.enableFusion(false);  // else nodes lose the outputs of their own
}

cv::Ptr<cv::dnn::Layer> OnnxNetwork::layer_of(const Node& node) const {
  const int id = net_.getLayerId(node.name.empty() ? "onnx_node_output_0!" + node.outputs[0]
                                                   : "onnx_node!" + node.name);
  return id < 0 ? nullptr : net_.getLayer(id);
}

const OnnxFile::Node* OnnxNetwork::find(const std::string& name) const {
  const Node* by_output = nullptr;
  for (const Node& node : graph_.nodes) {
    if (!node.name.empty() && node.name == name) return &node;
    if (node.outputs[0] == name) by_output = &node;
  }
  return by_output;
}

OnnxNetwork::Constant OnnxNetwork::constant(const std::string& tensor) const {
  const auto weight = graph_.weights.find(tensor);
  if (weight != graph_.weights.end()) return {&weight->second, false};
  for (const Node& node : graph_.nodes) {
    if (node.op != "Transpose" || node.outputs[0] != tensor || node.inputs.size() != 1) continue;
    const auto turned = graph_.weights.find(node.inputs[0]);
    if (turned != graph_.weights.end()) return {&turned->second, true};
  }
  return {};
}

std::vector<float> OnnxNetwork::numbers(const std::string& tensor) const {
  try {
    return numbers_of(*constant(tensor).weight);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(file_ + ": weight '" + tensor + "' " + error.what());
  }
}

bool OnnxNetwork::is_linear(const Node& node) const {
  if ((node.op != "Gemm" && node.op != "MatMul") || node.inputs.size() < 2) return false;
  const auto* weight = constant(node.inputs[1]).weight;
  return weight != nullptr && weight->shape.size() == 2;
}

const OnnxFile::Node& OnnxNetwork::find_head(const std::string& name, const Node& layer) const {
  std::vector<std::string> linear;
  const Node* last = nullptr;
  for (const Node& node : graph_.nodes) {
    if (!is_linear(node)) continue;
    linear.push_back(name_of(node));
    if (&node > &layer) last = &node;
  }
  if (name.empty()) {
    if (!last)
      throw std::invalid_argument(file_ + ": no linear node after layer '" + name_of(layer) +
                                  "'; linear ones: " + listed(linear));
    return *last;
  }
  const Node* named = find(name);
  if (!named || !is_linear(*named))
    throw std::invalid_argument(file_ + ": head '" + name + "' is " +
                                (named ? "not linear" : "not there") +
                                "; linear nodes: " + listed(linear));
  return *named;
}

LinearHead OnnxNetwork::read_head(const Node& node) const {
  const auto [weight, turned] = constant(node.inputs[1]);
  const std::vector<float> values = numbers(node.inputs[1]);
  const Eigen::Map<const LinearHead::Weight> stored(values.data(), weight->shape[0],
                                                    weight->shape[1]);
  LinearHead head{name_of(node), stored, {}};
  if (turned == (node.op == "Gemm" && node.trans_b)) head.weight = stored.transpose();
  head.bias.setZero(head.weight.rows());
  const auto add_bias = [&](const std::string& tensor) {
    if (constant(tensor).weight == nullptr) return;
    const std::vector<float> bias = numbers(tensor);
    if (bias.size() == 1)
      head.bias.setConstant(bias[0]);
    else if (static_cast<Eigen::Index>(bias.size()) == head.bias.size())
      head.bias = Eigen::Map<const Eigen::VectorXf>(bias.data(), head.bias.size());
  };
  if (node.inputs.size() > 2) {
    add_bias(node.inputs[2]);
    return head;
  }
  // The bias of a MatMul is an Add that follows.
  for (const Node& next : graph_.nodes)
    if (next.op == "Add" && next.inputs.size() == 2 &&
        std::ranges::count(next.inputs, node.outputs[0]) == 1)
      add_bias(next.inputs[next.inputs[0] == node.outputs[0] ? 1 : 0]);
  return head;
}

void OnnxNetwork::check_shape(const Block& batch) const {
  const auto& input = graph_.inputs[0];
  if (!input.declared) return;
  bool fits = input.shape.size() == batch.shape.size();
  for (std::size_t axis = 1; fits && axis < batch.shape.size(); ++axis)
    fits = input.shape[axis] < 0 || input.shape[axis] == batch.shape[axis];
  if (fits) return;
  std::string wanted;
  for (const auto size : input.shape)
    wanted += (wanted.empty() ? "" : " x ") + (size < 0 ? "any" : std::to_string(size));
  throw std::invalid_argument(file_ + ": its input '" + input.name + "' is " + wanted +
                              ", but it is given " + shape_text(batch.shape) +
                              "; see size and channels, or save it with dynamic axes");
}

Network::Answer OnnxNetwork::operator()(const Block& batch) {
  check_shape(batch);
  const auto& declared = graph_.inputs[0];
  const std::int64_t fixed = declared.declared ? declared.shape[0] : -1;
  if (fixed > 0 && fixed != batch.samples()) return run_in_parts(batch, fixed);
  if (fixed < 0 && batch.samples() > 1 && !batching_checked_) return check_batching(batch);
  return run(batch);
}

Network::Answer OnnxNetwork::run_in_parts(const Block& batch, std::int64_t fixed) {
  Answer all;
  for (std::int64_t i = 0; i < batch.samples(); i += fixed) {
    const std::int64_t there = std::min(fixed, batch.samples() - i);
    Block part = rows(batch, i, i + there);
    const Block last = rows(batch, i + there - 1, i + there);
    for (std::int64_t more = there; more < fixed; ++more) append(part, last, 1);
    const Answer answer = run(part);
    append(all.output, answer.output, there);
    append(all.layer, answer.layer, there);
  }
  return all;
}

Network::Answer OnnxNetwork::check_batching(const Block& batch) {
  const std::int64_t last = batch.samples() - 1;
  const Answer alone = run(rows(batch, last, last + 1));
  const std::string advice = "; it works on one sample at a time: set batch_size = 1";
  Answer among;
  try {
    among = run(batch);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(error.what() + advice);
  }
  if (!near(alone.output, rows(among.output, last, last + 1)) ||
      !near(alone.layer, rows(among.layer, last, last + 1)))
    throw std::invalid_argument(file_ + ": gives a sample among others another output than alone" +
                                advice);
  batching_checked_ = true;
  return among;
}

Network::Answer OnnxNetwork::run(const Block& batch) {
  make_quiet_and_repeatable();
  Answer answer;
  try {
    const std::vector<int> sizes(batch.shape.begin(), batch.shape.end());
    net_.setInput(cv::Mat(sizes, CV_32F, const_cast<float*>(batch.values.data())));
    std::vector<cv::Mat> both;
    net_.forward(both, std::vector<cv::String>{graph_.outputs[0], watched_});
    answer = {to_block(both.at(0)), to_block(both.at(1))};
  } catch (const std::exception& error) {
    throw std::invalid_argument(file_ + " on inputs of " + shape_text(batch.shape) + ": " +
                                essence(error));
  }
  for (const Block* block : {&answer.output, &answer.layer})
    if (block->samples() != batch.samples())
      throw std::invalid_argument(file_ + ": gives " + shape_text(block->shape) + " for " +
                                  std::to_string(batch.samples()) + " samples");
  return answer;
}

}  // namespace conoscope::models
