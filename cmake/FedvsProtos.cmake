# fedvs_add_protos(fedvs_wire fedvs/v1/protocol.proto)
#   compiles files of proto/ into a library, whose sources include "fedvs/v1/protocol.pb.h"
function(fedvs_add_protos target)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/protos)
  file(MAKE_DIRECTORY ${out})
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/proto/ OUTPUT_VARIABLE protos)
  protobuf_generate(LANGUAGE cpp OUT_VAR generated PROTOS ${protos} PROTOC_OUT_DIR ${out}
                    IMPORT_DIRS ${PROJECT_SOURCE_DIR}/proto)
  target_sources(${target} PRIVATE ${generated})
  target_include_directories(${target} SYSTEM PRIVATE ${out})
  # Generated code is not ours: its warnings are nobody's business here.
  set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -w)
endfunction()
