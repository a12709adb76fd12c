// Plain gRPC streaming with mutual TLS, to compare with: whatever a sender writes, the server
// writes to the receiver if there is one, and otherwise drops. No lanes, no queues, no checks.
#pragma once
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/method_handler.h>
#include <grpcpp/support/sync_stream.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "fedvs/net/transport/tls.h"
#include "fedvs/v1/transport.pb.h"

namespace fedvs::bench {

inline constexpr const char* kRawMethod = "/fedvs.bench.Raw/Stream";

class RawServer final : public grpc::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::Frame, v1::Frame>;

  explicit RawServer(const transport::Tls& tls) {
    using Handler = grpc::internal::BidiStreamingHandler<RawServer, v1::Frame, v1::Frame>;
    const auto serve = [](RawServer* self, grpc::ServerContext*, Stream* stream) {
      return self->serve(*stream);
    };
    AddMethod(new grpc::internal::RpcServiceMethod(
        kRawMethod, grpc::internal::RpcMethod::BIDI_STREAMING, new Handler(serve, this)));
    grpc::SslServerCredentialsOptions options(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    options.pem_root_certs = tls.ca_pem;
    options.pem_key_cert_pairs.push_back({tls.key_pem, tls.certificate_pem});
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~RawServer() override { server_->Shutdown(std::chrono::system_clock::now()); }
  int port() const { return port_; }

 private:
  // The first frame's lane says who it is: 1 receives, 0 sends. The last parcel is number 1.
  grpc::Status serve(Stream& stream) {
    v1::Frame frame;
    if (!stream.Read(&frame)) return grpc::Status::OK;
    if (frame.lane() == 1) {
      receiver_ = &stream;
      stream.Write(frame);  // "you are known"
      while (stream.Read(&frame)) {
      }
      receiver_ = nullptr;
      return grpc::Status::OK;
    }
    while (stream.Read(&frame)) {
      if (receiver_) receiver_.load()->Write(frame);
      if (!receiver_ && frame.parcel() == 1) stream.Write(v1::Frame());
    }
    return grpc::Status::OK;
  }

  int port_ = 0;
  std::atomic<Stream*> receiver_{nullptr};
  std::unique_ptr<grpc::Server> server_;
};

class RawStream {
 public:
  RawStream(int port, const transport::Tls& tls, unsigned lane)
      : channel_(grpc::CreateChannel(
            "127.0.0.1:" + std::to_string(port),
            grpc::SslCredentials({tls.ca_pem, tls.key_pem, tls.certificate_pem}))),
        method_(kRawMethod, grpc::internal::RpcMethod::BIDI_STREAMING, channel_) {
    using Factory = grpc::internal::ClientReaderWriterFactory<v1::Frame, v1::Frame>;
    stream_.reset(Factory::Create(channel_.get(), method_, &context_));
    v1::Frame first;
    first.set_lane(lane);
    stream_->Write(first);
    if (lane == 1) stream_->Read(&first);
  }
  ~RawStream() {
    stream_->WritesDone();
    for (v1::Frame frame; stream_->Read(&frame);) {
    }
    stream_->Finish();
  }
  void send(const std::string& bytes, std::size_t count) {
    v1::Frame frame;
    for (std::size_t i = 0; i < count; ++i) {
      frame.set_payload(bytes);
      if (i + 1 == count) frame.set_parcel(1);
      stream_->Write(frame);
    }
  }
  void await_last() {
    for (v1::Frame frame; stream_->Read(&frame) && frame.parcel() != 1 && frame.ByteSizeLong();) {
    }
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  grpc::internal::RpcMethod method_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::Frame, v1::Frame>> stream_;
};

}  // namespace fedvs::bench
