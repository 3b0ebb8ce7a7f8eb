#pragma once

namespace sidegrade::cli {

/// The whole program. Exit codes: 0 fine, 1 failed, 2 usage or scenario error,
/// 130 interrupted.
int main(int argc, char** argv);

}  // namespace sidegrade::cli
