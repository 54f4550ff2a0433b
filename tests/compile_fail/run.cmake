# Compiles `source` with and without MUST_FAIL; see CMakeLists.txt beside this file.
file(STRINGS ${source} expect_lines REGEX "^// EXPECT: ")
list(LENGTH expect_lines count)
file(STRINGS ${source} must_fail_lines REGEX "^ *#ifdef MUST_FAIL")
if(NOT count EQUAL 1 OR NOT must_fail_lines)
  message(FATAL_ERROR "${source} needs one line '// EXPECT: <regex>' and code under '#ifdef MUST_FAIL'")
endif()
string(REGEX REPLACE "^// EXPECT: " "" expected "${expect_lines}")

# Plain quotes in messages, whatever the user's language.
set(ENV{LC_ALL} C)
list(TRANSFORM include_dirs PREPEND -I)
set(compile ${compiler} -std=c++20 -Wall -Wextra -Werror -fsyntax-only ${include_dirs})

execute_process(COMMAND ${compile} ${source} RESULT_VARIABLE status ERROR_VARIABLE message)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the part outside MUST_FAIL does not compile:\n${message}")
endif()

execute_process(COMMAND ${compile} -DMUST_FAIL ${source} RESULT_VARIABLE status ERROR_VARIABLE message)
if(status EQUAL 0)
  message(FATAL_ERROR "compiles with MUST_FAIL; expected an error that matches: ${expected}")
endif()
if(NOT message MATCHES "${expected}")
  message(FATAL_ERROR "refused for another reason; expected an error that matches: ${expected}\nfound:\n${message}")
endif()
