# RIFT_SANITIZE is set by the presets asan, tsan and fuzz; it reaches every target, libraries included.
if(RIFT_SANITIZE)
  add_compile_options(-fsanitize=${RIFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${RIFT_SANITIZE})
endif()
# What libFuzzer steers by. Every library needs it, or the fuzzer is blind ("no interesting inputs were found").
if(RIFT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
