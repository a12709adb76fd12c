# Installs the build in BUILD to a prefix in SCRATCH, runs the installed program, and builds and runs
# every example against the installed package.
set(PREFIX ${SCRATCH}/prefix)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${out}")
  endif()
  set(OUTPUT "${out}" PARENT_SCOPE)
endfunction()

function(expect pattern)
  if(NOT OUTPUT MATCHES "${pattern}")
    message(FATAL_ERROR "expected ${pattern} in:\n${OUTPUT}")
  endif()
endfunction()

function(build_example folder program)
  run(${CMAKE_COMMAND} -S ${SOURCE}/examples/${folder} -B ${SCRATCH}/${folder} -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${PREFIX}
      -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/${folder})
  run(${SCRATCH}/${folder}/${program})
  set(OUTPUT "${OUTPUT}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
file(READ ${PREFIX}/${PACKAGE}/fedvsTargets.cmake targets)
string(FIND "${targets}" "fedvs_warnings" leaked)
string(FIND "${targets}" "${SOURCE}" tied)
if(NOT leaked EQUAL -1 OR NOT tied EQUAL -1)
  message(FATAL_ERROR "the installed package depends on the tree it was built in:\n${targets}")
endif()

run(${PREFIX}/bin/fedvs --version)
expect("^fedvs ${VERSION}\n$")

build_example(01_open_a_sum open_a_sum)
expect("exact: every sum is that of the plain computation\n$")

build_example(02_train_in_process train_in_process)
expect("epoch 8: test accuracy (9[0-9]\\.[0-9]|100\\.0) %")

file(REMOVE_RECURSE ${SCRATCH})
