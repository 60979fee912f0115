option(RIFT_SERVER "Build the daemon riftbaked" ON)
option(RIFT_FUZZ "Build the libFuzzer targets (clang only); their corpora are replayed by ctest in every build" OFF)
set(RIFT_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize= takes them")
