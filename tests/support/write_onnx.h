// SPDX-License-Identifier: Apache-2.0
#pragma once

// ONNX files of the tests' own, byte by byte: what is read from them owes nothing to a library that
// writes them. Field numbers are those of onnx.proto3.

#include <cstdint>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

namespace conoscope::testing {

/// A Protocol Buffers message.
class ProtoMessage {
 public:
  ProtoMessage& number(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  ProtoMessage& text(int field, const std::string& bytes) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  ProtoMessage& message(int field, const ProtoMessage& inner) { return text(field, inner.bytes_); }
  ProtoMessage& real(int field, float value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 5);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

/// A graph of operators, opset 13.
class OnnxWriter {
 public:
  using Sizes = std::vector<std::int64_t>;
  struct Attribute {
    std::string name;
    std::variant<std::int64_t, float, Sizes> value;
  };

  /// Sizes of -1: any.
  OnnxWriter& input(const std::string& name, const Sizes& shape) {
    graph_.message(11, value_info(name, shape));
    return *this;
  }
  OnnxWriter& output(const std::string& name, const Sizes& shape) {
    graph_.message(12, value_info(name, shape));
    return *this;
  }
  OnnxWriter& weight(const std::string& name, const Sizes& shape,
                     const std::vector<float>& values) {
    ProtoMessage tensor;
    for (const auto size : shape) tensor.number(1, static_cast<std::uint64_t>(size));
    std::string raw(values.size() * sizeof(float), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    graph_.message(5, tensor.number(2, kFloat).text(8, name).text(9, raw));
    return *this;
  }
  /// The result of a Constant node, its sizes packed.
  OnnxWriter& constant(const std::string& name, const Sizes& shape,
                       const std::vector<float>& values) {
    std::string sizes, raw(values.size() * sizeof(float), '\0');
    for (const auto size : shape) sizes += static_cast<char>(size);  // below 128
    std::memcpy(raw.data(), values.data(), raw.size());
    ProtoMessage tensor, value, node;
    tensor.text(1, sizes).number(2, kFloat).text(9, raw);
    value.text(1, "value").message(5, tensor).number(20, 4);
    graph_.message(1, node.text(2, name).text(4, "Constant").message(5, value));
    return *this;
  }
  /// One axis of integers: a shape, for Reshape.
  OnnxWriter& int_weight(const std::string& name, const Sizes& values) {
    ProtoMessage tensor;
    tensor.number(1, values.size()).number(2, kInt64).text(8, name);
    for (const auto value : values) tensor.number(7, static_cast<std::uint64_t>(value));
    graph_.message(5, tensor);
    return *this;
  }
  /// As weight(), but its numbers are said to lie in another file.
  OnnxWriter& external_weight(const std::string& name, const Sizes& shape) {
    ProtoMessage tensor;
    for (const auto size : shape) tensor.number(1, static_cast<std::uint64_t>(size));
    graph_.message(5, tensor.number(2, kFloat).text(8, name).number(14, 1));
    return *this;
  }
  /// An empty name: the node has none.
  OnnxWriter& node(const std::string& op, const std::string& name,
                   const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                   const std::vector<Attribute>& attributes = {}) {
    ProtoMessage node;
    for (const auto& tensor : inputs) node.text(1, tensor);
    for (const auto& tensor : outputs) node.text(2, tensor);
    if (!name.empty()) node.text(3, name);
    node.text(4, op);
    for (const auto& [key, value] : attributes) {
      ProtoMessage attribute;
      attribute.text(1, key);
      if (const auto* integer = std::get_if<std::int64_t>(&value))
        attribute.number(3, static_cast<std::uint64_t>(*integer)).number(20, 2);
      else if (const auto* real = std::get_if<float>(&value))
        attribute.real(2, *real).number(20, 1);
      else {
        for (const auto size : std::get<Sizes>(value))
          attribute.number(8, static_cast<std::uint64_t>(size));
        attribute.number(20, 7);
      }
      node.message(5, attribute);
    }
    graph_.message(1, node);
    return *this;
  }

  std::string bytes() const {
    ProtoMessage opset, model, graph = graph_;
    graph.text(2, "graph");
    return model.number(1, 7)
        .text(2, "conoscope")
        .message(7, graph)
        .message(8, opset.text(1, "").number(2, 13))
        .bytes();
  }

 private:
  static constexpr std::uint64_t kFloat = 1, kInt64 = 7;

  static ProtoMessage value_info(const std::string& name, const Sizes& shape) {
    ProtoMessage sizes, tensor, type, value;
    for (const auto size : shape) {
      ProtoMessage dimension;
      if (size < 0)
        dimension.text(2, "any");
      else
        dimension.number(1, static_cast<std::uint64_t>(size));
      sizes.message(1, dimension);
    }
    tensor.number(1, kFloat).message(2, sizes);
    return value.text(1, name).message(2, type.message(1, tensor));
  }

  ProtoMessage graph_;
};

}  // namespace conoscope::testing
