# rift_options carries warnings and code generation flags; every target of ours links it PRIVATE.
add_library(rift_options INTERFACE)
target_compile_features(rift_options INTERFACE c_std_11)
target_compile_definitions(rift_options INTERFACE _GNU_SOURCE)
target_compile_options(rift_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wcast-align -Wcast-qual -Wformat=2 -Wundef -Wvla -Wwrite-strings -Wdouble-promotion -Wimplicit-fallthrough
  -fno-common -ffp-contract=off -fstack-protector-strong -fvisibility=hidden
  $<$<C_COMPILER_ID:GNU>:-Wlogical-op -Wduplicated-cond -Wjump-misses-init>
  $<$<C_COMPILER_ID:Clang>:-Wcomma -Wconditional-uninitialized>)
target_compile_definitions(rift_options INTERFACE $<$<CONFIG:Release,RelWithDebInfo>:_FORTIFY_SOURCE=3>)
target_link_options(rift_options INTERFACE $<$<CONFIG:Release,RelWithDebInfo>:LINKER:-z,relro,-z,now>)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
