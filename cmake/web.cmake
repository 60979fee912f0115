# RIFT_WEB_FILES: what Vite makes of server/web, to be embedded; empty without Node or without its packages, which
# tests/npm.sh ../server/web installs. Nothing is downloaded here.
set(web "${CMAKE_SOURCE_DIR}/server/web")
set(RIFT_WEB_FILES "")
find_program(RIFT_NODE node)
if(NOT RIFT_VIEWER)
  message(STATUS "Viewer left out: RIFT_VIEWER is off")
elseif(NOT RIFT_NODE)
  message(STATUS "Viewer left out: no node (18 or newer) was found")
elseif(NOT EXISTS "${web}/node_modules/vite/bin/vite.js")
  message(STATUS "Viewer left out: its npm packages are missing; tests/npm.sh ../server/web installs them")
else()
  set(out "${CMAKE_BINARY_DIR}/web")
  foreach(name index.html page.js page.css viewer.js viewer.d.ts icon.svg example.html)
    list(APPEND RIFT_WEB_FILES "${out}/${name}")
  endforeach()
  set(sources index.html package-lock.json tsconfig.json vite.config.ts
    public/example.html public/icon.svg public/viewer.d.ts
    src/dom.ts src/layers.ts src/masks.ts src/mixer.ts src/model.ts src/page.css src/page.ts src/panels.ts src/report.ts
    src/server.ts src/stage.ts src/strip.ts src/viewer.css src/viewer.ts)
  list(TRANSFORM sources PREPEND "${web}/")
  add_custom_command(OUTPUT ${RIFT_WEB_FILES}
    COMMAND ${RIFT_NODE} node_modules/typescript/bin/tsc --noEmit
    COMMAND ${RIFT_NODE} node_modules/vite/bin/vite.js build --logLevel warn --outDir "${out}" --emptyOutDir false
    COMMAND ${CMAKE_COMMAND} -E touch ${RIFT_WEB_FILES}
    WORKING_DIRECTORY "${web}"
    DEPENDS ${sources}
    COMMENT "Building the viewer"
    VERBATIM)
endif()
