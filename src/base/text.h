#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sidegrade::base {

/// White space in the C locale.
bool is_space(char c);

/// The pieces of `text` between `separator`s; always at least one.
std::vector<std::string> split(std::string_view text, char separator);

/// The words of `text`, separated by any white space; no empty ones.
std::vector<std::string> split_words(std::string_view text);

/// `text` without white space at its ends.
std::string_view trim(std::string_view text);

std::string join(const std::vector<std::string>& pieces,
                 std::string_view separator);

/// The candidate that `word` was probably meant to be: the smallest edit
/// distance (Damerau–Levenshtein, adjacent transpositions count one), at most a
/// third of the word's length, or one in a word of two letters; nothing if none
/// is near.
std::optional<std::string> nearest_word(
    std::string_view word, const std::vector<std::string>& candidates);

/// `did you mean "x"?` behind ` — `, or nothing: the tail of an error sentence.
std::string did_you_mean(std::string_view word,
                         const std::vector<std::string>& candidates);

/// `text` made safe as one word of a line: white space, `%` and control
/// characters become %XX. decode_word undoes it.
std::string encode_word(std::string_view text);
std::string decode_word(std::string_view text);

}  // namespace sidegrade::base
