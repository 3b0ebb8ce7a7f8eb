#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "host/facts.h"

namespace sidegrade::host {

/// A machine recorded under tests/data/hosts/.
inline Root recorded(const std::string& name) {
  return {std::filesystem::path(SIDEGRADE_SOURCE_DIR) / "tests/data/hosts" /
          name};
}

/// A tree written by a test, removed with it.
class TemporaryTree {
 public:
  TemporaryTree() {
    std::string name = testing::TempDir() + "sidegrade-host-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary folder");
    }
    root_.path = name;
  }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;
  ~TemporaryTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_.path, ignored);
  }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void append(const std::string& path, const std::string& text) const {
    std::ofstream(root_ / path, std::ios::app) << text;
  }
  const Root& root() const { return root_; }

 private:
  Root root_;
};

/// Whether `condition` comes true within some seconds.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace sidegrade::host
