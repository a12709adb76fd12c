# fedvs_add_protos(fedvs_wire fedvs/v1/protocol.proto)
#   compiles files of proto/ into a library, whose sources include "fedvs/v1/protocol.pb.h"
# fedvs_use_protos(fedvs_party fedvs_protocol)
#   sources of the first library, or test, include what was compiled into the second
function(fedvs_add_protos target)
  set(source ${PROJECT_SOURCE_DIR}/proto)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/protos)
  file(MAKE_DIRECTORY ${out})
  foreach(proto ${ARGN})
    string(REGEX REPLACE "\\.proto$" ".pb" generated ${out}/${proto})
    add_custom_command(
      OUTPUT ${generated}.cc ${generated}.h
      COMMAND protobuf::protoc --cpp_out=${out} --proto_path=${source} ${source}/${proto}
      DEPENDS ${source}/${proto} protobuf::protoc VERBATIM)
    # Generated code is not ours: its warnings are nobody's business here.
    set_source_files_properties(${generated}.cc PROPERTIES COMPILE_OPTIONS -w)
    target_sources(${target} PRIVATE ${generated}.cc ${generated}.h)
  endforeach()
  target_include_directories(${target} SYSTEM PRIVATE ${out})
  set_property(TARGET ${target} PROPERTY FEDVS_PROTO_HEADERS ${out})
endfunction()

function(fedvs_use_protos target owner)
  target_include_directories(${target} SYSTEM
                             PRIVATE $<TARGET_PROPERTY:${owner},FEDVS_PROTO_HEADERS>)
  target_link_libraries(${target} PRIVATE protobuf::libprotobuf)
endfunction()
