option(RIFT_SERVER "Build the daemon riftbaked" ON)
option(RIFT_FUZZ "Build the libFuzzer targets (clang only); their corpora are replayed by ctest in every build" OFF)
option(RIFT_ISAL "Deflate PNG by ISA-L: twice as fast, but not always the same bytes (CONTRIBUTING.md)" OFF)
set(RIFT_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize= takes them")
