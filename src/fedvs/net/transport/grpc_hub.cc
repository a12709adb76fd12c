// The hub as a gRPC service. What the grpc plugin would generate is written out here, because our
// outgoing frames are not protobuf's; see grpc_frame.h.
#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/method_handler.h>

#include <mutex>
#include <span>
#include <utility>

#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/net/transport/grpc_frame.h"
#include "fedvs/net/transport/grpc_log.h"
#include "fedvs/net/transport/hub.h"
#include "fedvs/net/transport/switchboard.h"

namespace fedvs::transport {
namespace {

using ServerStream = grpc::ServerReaderWriter<OutgoingFrame, v1::Frame>;

class ServerPipe final : public Pipe {
 public:
  ServerPipe(grpc::ServerContext& context, ServerStream& stream)
      : context_(context), stream_(stream) {}
  void open() override {}
  bool read(IncomingFrame& into) override {
    if (!stream_.Read(&wire_)) return false;
    take_from(wire_, into);
    return true;
  }
  bool write(const OutgoingFrame& frame) override {
    return stream_.Write(frame, options_for(frame));
  }
  void writes_done() override {}  // a server's writes end with the call
  void cancel() override { context_.TryCancel(); }

 private:
  grpc::ServerContext& context_;
  ServerStream& stream_;
  v1::Frame wire_;
};

using Identify = std::function<Result<int>(const std::string&)>;

Result<int> client_of(const grpc::ServerContext& context, const Identify& identify) {
  const auto shown = context.auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (!context.auth_context()->IsPeerAuthenticated() || shown.size() != 1) {
    return Error{ErrorCode::kRefused, "no verified certificate was shown"};
  }
  return identify(std::string(shown[0].data(), shown[0].size()));
}

class RelayService final : public grpc::Service {
 public:
  RelayService(Switchboard& board, Identify identify)
      : board_(board), identify_(std::move(identify)) {
    using Handler = grpc::internal::BidiStreamingHandler<RelayService, v1::Frame, OutgoingFrame>;
    const auto attend = [](RelayService* self, grpc::ServerContext* context, ServerStream* stream) {
      return self->attend(*context, *stream);
    };
    AddMethod(new grpc::internal::RpcServiceMethod(
        kAttendMethod, grpc::internal::RpcMethod::BIDI_STREAMING, new Handler(attend, this)));
  }

 private:
  grpc::Status attend(grpc::ServerContext& context, ServerStream& stream) {
    const auto client = client_of(context, identify_);
    if (!client) {
      const std::string reason = printable(client.error().message);
      log::warning("refused a connection from {}: {}", context.peer(), reason);
      return {grpc::StatusCode::PERMISSION_DENIED, reason};
    }
    ServerPipe pipe(context, stream);
    if (board_.attend(*client, pipe)) return grpc::Status::OK;
    return {grpc::StatusCode::UNAVAILABLE, "the server is shutting down"};
  }

  Switchboard& board_;
  const Identify identify_;
};

std::shared_ptr<grpc::ServerCredentials> credentials_of(Tls& tls) {
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls.ca_pem;
  options.pem_key_cert_pairs.push_back({tls.key_pem, tls.certificate_pem});
  auto credentials = grpc::SslServerCredentials(options);
  wipe(std::span(options.pem_key_cert_pairs[0].private_key));
  wipe_key(tls);
  return credentials;
}

void set_up(grpc::ServerBuilder& builder, const Limits& limits) {
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);         // a port in use is an error
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 4);  // a client needs one
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             static_cast<int>(limits.connect_within.count()));
  builder.SetMaxReceiveMessageSize(static_cast<int>(4 * kChunkBytes));
}

}  // namespace

struct Hub::Impl {
  explicit Impl(HubOptions& options)
      : board(options.limits, std::move(options.events)),
        service(board, std::move(options.identify)),
        goodbye_within(options.limits.goodbye_within) {}

  Status start(const std::string& address, Tls& tls, const Limits& limits) {
    grpc::ServerBuilder builder;
    set_up(builder, limits);
    builder.AddListeningPort(address, credentials_of(tls), &port);
    builder.RegisterService(&service);
    server = builder.BuildAndStart();
    if (server && port > 0) return {};
    return Error{ErrorCode::kBadJob, fmt::format("cannot listen at {}: it is no address of this "
                                                 "machine, or the port is in use",
                                                 address)};
  }

  void shutdown(Duration within) {
    board.close_all({"the server is shutting down"}, within);
    server->Shutdown(std::chrono::system_clock::now() + within + goodbye_within);
  }

  Switchboard board;
  RelayService service;
  const Duration goodbye_within;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
  std::once_flag down;
};

Hub::Hub(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Hub>> Hub::listen(HubOptions options) {
  FEDVS_CHECK(options.identify && options.events.on_connected && options.events.on_parcel &&
                  options.events.on_disconnected,
              "a hub needs all its callbacks");
  FEDVS_TRY_STATUS(check(options.limits));
  FEDVS_TRY_STATUS(check(options.tls));
  take_over_grpc_log();
  auto impl = std::make_unique<Impl>(options);
  FEDVS_TRY_STATUS(impl->start(options.address, options.tls, options.limits));
  return std::unique_ptr<Hub>(new Hub(std::move(impl)));
}

Hub::~Hub() { shutdown(); }

int Hub::port() const { return impl_->port; }
void Hub::admit(int client, std::uint64_t session) { impl_->board.admit(client, session); }
bool Hub::send(int client, Lane lane, Bytes bytes, std::uint64_t session) {
  return impl_->board.send(client, lane, std::move(bytes), session);
}
void Hub::close(int client, const std::string& reason, bool refused, std::uint64_t session) {
  impl_->board.close(client, {reason, refused}, session);
}
void Hub::set_largest_parcel(std::size_t bytes) { impl_->board.set_largest_parcel(bytes); }
std::map<int, ClientStats> Hub::stats() const { return impl_->board.stats(); }
void Hub::shutdown(Duration within) {
  std::call_once(impl_->down, [&] { impl_->shutdown(within); });
}

}  // namespace fedvs::transport
