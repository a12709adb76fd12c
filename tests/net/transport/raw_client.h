// A client that writes any frame it likes, and reads only when told to: plain gRPC and protobuf,
// none of our own sending code.
#pragma once
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <string>

#include "fedvs/net/transport/tls.h"
#include "fedvs/v1/transport.pb.h"

namespace fedvs::transport::testing {

class RawClient {
 public:
  RawClient(const std::string& address, const Tls& tls)
      : channel_(grpc::CreateChannel(
            address, grpc::SslCredentials({tls.ca_pem, tls.key_pem, tls.certificate_pem}))),
        method_("/fedvs.v1.Relay/Attend", grpc::internal::RpcMethod::BIDI_STREAMING, channel_) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    stream_.reset(Factory::Create(channel_.get(), method_, &context_));
  }
  ~RawClient() { context_.TryCancel(); }

  bool write(const v1::Frame& frame) { return stream_->Write(frame); }
  bool read(v1::Frame& frame) { return stream_->Read(&frame); }
  // The reason of the goodbye that comes next, past heartbeats; "(none)" if the stream ends
  // without.
  std::string goodbye() {
    v1::Frame frame;
    while (read(frame)) {
      if (frame.kind() == v1::Frame::GOODBYE) return frame.reason();
    }
    return "(none)";
  }
  grpc::Status finish() {
    stream_->WritesDone();
    for (v1::Frame frame; read(frame);) {
    }
    return stream_->Finish();
  }

 private:
  using Factory = grpc::internal::ClientReaderWriterFactory<v1::Frame, v1::Frame>;
  std::shared_ptr<grpc::Channel> channel_;
  grpc::internal::RpcMethod method_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::Frame, v1::Frame>> stream_;
};

}  // namespace fedvs::transport::testing
