// The link over gRPC: a channel per attempt, so that gRPC's own waiting between attempts, which
// belongs to a channel, never adds to ours.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/sync_stream.h>

#include <span>
#include <utility>

#include "fedvs/base/wipe.h"
#include "fedvs/net/transport/dialler.h"
#include "fedvs/net/transport/grpc_frame.h"
#include "fedvs/net/transport/grpc_log.h"
#include "fedvs/net/transport/link.h"

namespace fedvs::transport {
namespace {

using ClientStream = grpc::ClientReaderWriter<OutgoingFrame, v1::Frame>;
using StreamFactory = grpc::internal::ClientReaderWriterFactory<OutgoingFrame, v1::Frame>;

// With TLS 1.3 a client believes the handshake done before the server has looked at its
// certificate, so all it sees of a refusal is that the server hangs up.
constexpr const char* kHungUp =
    "; the server hung up before it answered: it may be stopping, or not accept this client's "
    "certificate (ended, or signed by another authority), which its log would say";

Goodbye goodbye_of(const grpc::Status& status, bool answered) {
  if (status.ok()) return {};
  const bool refused = status.error_code() == grpc::StatusCode::PERMISSION_DENIED ||
                       status.error_code() == grpc::StatusCode::UNAUTHENTICATED;
  std::string reason = printable(status.error_message());
  if (!answered && reason.ends_with("Socket closed")) reason += kHungUp;
  return {std::move(reason), refused};
}

class ClientCall final : public Call {
 public:
  explicit ClientCall(std::shared_ptr<grpc::Channel> channel)
      : channel_(std::move(channel)),
        method_(kAttendMethod, grpc::internal::RpcMethod::BIDI_STREAMING, channel_) {}
  void open() override { stream_.reset(StreamFactory::Create(channel_.get(), method_, &context_)); }
  bool read(IncomingFrame& into) override {
    if (!stream_->Read(&wire_)) return false;
    take_from(wire_, into);
    answered_ = true;
    return true;
  }
  bool write(const OutgoingFrame& frame) override {
    return stream_->Write(frame, options_for(frame));
  }
  void writes_done() override { stream_->WritesDone(); }
  void cancel() override { context_.TryCancel(); }
  Goodbye finish() override { return goodbye_of(stream_->Finish(), answered_); }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  const grpc::internal::RpcMethod method_;
  grpc::ClientContext context_;
  v1::Frame wire_;
  bool answered_ = false;
  std::unique_ptr<ClientStream> stream_;
};

std::shared_ptr<grpc::ChannelCredentials> credentials_of(Tls& tls) {
  grpc::SslCredentialsOptions options{tls.ca_pem, tls.key_pem, tls.certificate_pem};
  auto credentials = grpc::SslCredentials(options);
  wipe(std::span(options.pem_private_key));
  wipe_key(tls);
  return credentials;
}

grpc::ChannelArguments arguments_of(const LinkOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(static_cast<int>(4 * kChunkBytes));
  if (!options.server_name.empty()) arguments.SetSslTargetNameOverride(options.server_name);
  return arguments;
}

Dialler::Dial dial_of(LinkOptions& options) {
  const auto credentials = credentials_of(options.tls);
  const auto arguments = arguments_of(options);
  return [=, address = options.address] {
    return std::make_unique<ClientCall>(grpc::CreateCustomChannel(address, credentials, arguments));
  };
}

}  // namespace

struct Link::Impl {
  explicit Impl(LinkOptions& options)
      : dialler(options.self, options.limits, std::move(options.events), dial_of(options)) {}
  Dialler dialler;
};

Link::Link(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Link>> Link::open(LinkOptions options) {
  FEDVS_CHECK(
      options.events.on_connected && options.events.on_parcel && options.events.on_disconnected,
      "a link needs all its callbacks");
  FEDVS_TRY_STATUS(check(options.limits));
  FEDVS_TRY_STATUS(check(options.tls));
  take_over_grpc_log();
  return std::unique_ptr<Link>(new Link(std::make_unique<Impl>(options)));
}

Link::~Link() { stop(); }

bool Link::send(int to, Lane lane, Bytes bytes, std::uint64_t session) {
  return impl_->dialler.send(to, lane, std::move(bytes), session);
}
bool Link::wait_for_room(std::size_t size, Clock::time_point deadline) {
  return impl_->dialler.wait_for_room(size, deadline);
}
void Link::set_largest_parcel(std::size_t bytes) { impl_->dialler.set_largest_parcel(bytes); }
void Link::stop(Duration drain) { impl_->dialler.stop(drain); }

}  // namespace fedvs::transport
