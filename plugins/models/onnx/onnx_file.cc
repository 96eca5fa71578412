// SPDX-License-Identifier: Apache-2.0
// ONNX is a Protocol Buffers message; field numbers are those of onnx.proto3 (ONNX, IR version 3
// and later). Only what the header lists is looked at.

#include "plugins/models/onnx/onnx_file.h"

#include <Eigen/Core>
#include <bit>
#include <stdexcept>

namespace conoscope::models {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("not an ONNX file, or damaged: " + why);
}

/// The fields of one message, in turn.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  /// False at the end.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field = key >> 3;
    integer = (key & 7) == 0;
    switch (key & 7) {
      case 0:
        number = varint();
        return true;
      case 1:
        text = take(8);
        return true;
      case 2:
        text = take(varint());
        return true;
      case 5:
        text = take(4);
        return true;
      default:
        refuse("unknown field type " + std::to_string(key & 7));
    }
  }

  /// Of a repeated integer: the one, or all of them, which may be packed.
  void append_to(std::vector<std::int64_t>& out) const {
    if (integer) out.push_back(static_cast<std::int64_t>(number));
    if (!integer)
      for (Message all(text); !all.rest_.empty();)
        out.push_back(static_cast<std::int64_t>(all.varint()));
  }

  std::uint64_t field = 0;
  bool integer = false;
  std::uint64_t number = 0;  ///< of an integer
  std::string_view text;     ///< of anything else

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number of more than 64 bits");
  }

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) refuse("it ends within a field");
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

/// Bits is as wide as the bytes.
template <typename Bits>
Bits little_endian(std::string_view bytes) {
  Bits bits = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i)
    bits = static_cast<Bits>(bits | Bits{static_cast<unsigned char>(bytes[i])} << (8 * i));
  return bits;
}

float as_float(std::string_view bytes) {
  if (bytes.size() != 4) refuse("a float32 of another size");
  return std::bit_cast<float>(little_endian<std::uint32_t>(bytes));
}

/// OpenCV (4.6) reads a Gemm as if alpha and beta were 1, transA 0, and transB 1 where it is not
/// written; that it is 0 then by ONNX goes unnoticed where the weight is square.
void read_gemm(OnnxFile::Node& node, const std::vector<std::string_view>& attributes) {
  const auto refuse_gemm = [&node](const std::string& why) {
    throw std::invalid_argument("Gemm '" + (node.name.empty() ? node.outputs[0] : node.name) +
                                "' " + why);
  };
  bool said = false;
  for (const std::string_view attribute : attributes) {
    std::string name;
    float real = 0.0f;
    std::uint64_t integer = 0;
    for (Message m(attribute); m.next();) {
      if (m.field == 1) name = m.text;
      if (m.field == 2) real = as_float(m.text);
      if (m.field == 3) integer = m.number;
    }
    if (name == "transB") said = true, node.trans_b = integer != 0;
    if (((name == "alpha" || name == "beta") && real != 1.0f) || (name == "transA" && integer != 0))
      refuse_gemm("has an attribute that OpenCV neglects, " + name + "; put it into the weights");
  }
  if (!said)
    refuse_gemm("does not say transB, and OpenCV would take it for 1; write transB = 0 into it");
}

/// A TensorProto, under its own name or another.
void read_weight(std::string_view bytes, const std::string& other_name, OnnxFile& file) {
  OnnxFile::Weight weight;
  std::string name;
  bool external = false;
  for (Message m(bytes); m.next();) {
    if (m.field == 1) m.append_to(weight.shape);
    if (m.field == 2) weight.type = m.number;
    if (m.field == 4 || m.field == 9 || m.field == 10) weight.numbers = m.text;  // packed, or raw
    if (m.field == 8) name = m.text;
    if (m.field == 14) external = m.number == 1;
  }
  if (!other_name.empty()) name = other_name;
  if (external)
    throw std::invalid_argument("weight '" + name +
                                "' lies in another file (external data); save the network with its "
                                "weights in one file");
  file.weights[name] = weight;
}

OnnxFile::Node read_node(std::string_view bytes, OnnxFile& file) {
  OnnxFile::Node node;
  std::vector<std::string_view> attributes;
  for (Message m(bytes); m.next();) {
    if (m.field == 1) node.inputs.emplace_back(m.text);
    if (m.field == 2) node.outputs.emplace_back(m.text);
    if (m.field == 3) node.name = m.text;
    if (m.field == 4) node.op = m.text;
    if (m.field == 5) attributes.push_back(m.text);
  }
  if (node.outputs.empty()) refuse("a node without outputs");
  if (node.op == "Gemm") read_gemm(node, attributes);
  if (node.op == "Constant")
    for (const std::string_view attribute : attributes)
      for (Message m(attribute); m.next();)
        if (m.field == 5) read_weight(m.text, node.outputs[0], file);
  return node;
}

/// Sizes of a TensorShapeProto.
std::vector<std::int64_t> read_shape(std::string_view bytes) {
  std::vector<std::int64_t> shape;
  for (Message m(bytes); m.next();) {
    if (m.field != 1) continue;
    std::int64_t size = -1;
    for (Message dimension(m.text); dimension.next();)
      if (dimension.field == 1) size = static_cast<std::int64_t>(dimension.number);
    shape.push_back(size > 0 ? size : -1);
  }
  return shape;
}

OnnxFile::Input read_value_info(std::string_view bytes) {
  OnnxFile::Input value;
  for (Message m(bytes); m.next();) {
    if (m.field == 1) value.name = m.text;
    if (m.field != 2) continue;
    for (Message type(m.text); type.next();) {
      if (type.field != 1) continue;
      for (Message tensor(type.text); tensor.next();)
        if (tensor.field == 2) {
          value.declared = true;
          value.shape = read_shape(tensor.text);
        }
    }
  }
  return value;
}

}  // namespace

OnnxFile read_onnx(std::string_view bytes) {
  std::string_view graph;
  for (Message m(bytes); m.next();)
    if (m.field == 7) graph = m.text;
  OnnxFile file;
  for (Message m(graph); m.next();) {
    if (m.field == 1) file.nodes.push_back(read_node(m.text, file));
    if (m.field == 5) read_weight(m.text, "", file);
    if (m.field == 11) file.inputs.push_back(read_value_info(m.text));
    if (m.field == 12) file.outputs.push_back(read_value_info(m.text).name);
  }
  if (file.nodes.empty()) refuse("it has no graph");
  // Before IR version 4 weights were inputs, too.
  std::erase_if(file.inputs, [&](const auto& input) { return file.weights.contains(input.name); });
  return file;
}

std::vector<float> numbers_of(const OnnxFile::Weight& weight) {
  constexpr std::uint64_t kFloat32 = 1, kFloat16 = 10, kFloat64 = 11;
  const std::size_t width = weight.type == kFloat16   ? 2
                            : weight.type == kFloat32 ? 4
                            : weight.type == kFloat64 ? 8
                                                      : 0;
  if (width == 0)
    throw std::invalid_argument("is of ONNX's type " + std::to_string(weight.type) +
                                ", neither float16, float32 nor float64");
  const std::size_t count = weight.numbers.size() / width;
  std::size_t left = count * width == weight.numbers.size() ? count : 0;
  for (const std::int64_t size : weight.shape)
    left = size > 0 && left % static_cast<std::size_t>(size) == 0
               ? left / static_cast<std::size_t>(size)
               : 0;
  if (left != 1)
    throw std::invalid_argument("has " + std::to_string(count) +
                                " numbers, another number than its shape says");
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view bytes = weight.numbers.substr(i * width, width);
    if (width == 2)
      out[i] = static_cast<float>(
          Eigen::numext::bit_cast<Eigen::half>(little_endian<std::uint16_t>(bytes)));
    else if (width == 4)
      out[i] = as_float(bytes);
    else
      out[i] = static_cast<float>(std::bit_cast<double>(little_endian<std::uint64_t>(bytes)));
  }
  return out;
}

}  // namespace conoscope::models
