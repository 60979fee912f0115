# rift_layer(<name> SOURCES ... USES <layers and imported targets>)
# One static library per folder, rift_<name>, linked only to what it may use. The include root is core/ (or the
# folder's parent), so that "base/err.h" reads the same everywhere.
function(rift_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(rift_${name} STATIC ${ARG_SOURCES})
  target_include_directories(rift_${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/..")
  foreach(layer IN LISTS ARG_USES)
    target_link_libraries(rift_${name} PUBLIC rift_${layer})
  endforeach()
  target_link_libraries(rift_${name} PRIVATE rift_options ${ARG_LINKS})
endfunction()
