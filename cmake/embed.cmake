# rift_embed(<target> <symbol> <file>...): the files as arrays in a generated .c of the target, declared in "<symbol>.h":
#   extern const rift_embedded <symbol>[]; extern const size_t <symbol>_count;   (embed/embed.h)
# Read again whenever one of them changes. Bytes are followed by a NUL that size does not count.
function(rift_embed target symbol)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c")
  string(REPLACE ";" "|" files "${ARGN}")
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} "-DFILES=${files}" -P "${CMAKE_SOURCE_DIR}/cmake/embed_run.cmake"
    DEPENDS ${ARGN} "${CMAKE_SOURCE_DIR}/cmake/embed_run.cmake"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
