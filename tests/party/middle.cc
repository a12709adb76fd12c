#include "tests/party/middle.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/method_handler.h>
#include <grpcpp/support/sync_stream.h>

#include <array>
#include <atomic>
#include <thread>

#include "fedvs/base/check.h"

namespace fedvs::party::testing {
namespace {

constexpr const char* kMethod = "/fedvs.v1.Relay/Attend";
constexpr std::size_t kLanes = 4;

using Below = grpc::ServerReaderWriter<v1::Frame, v1::Frame>;
using Above = grpc::ClientReaderWriter<v1::Frame, v1::Frame>;

// Numbers the parcels of one direction anew.
class Numbering {
 public:
  void put(v1::Frame& frame) {
    if (frame.kind() != v1::Frame::CHUNK || frame.lane() >= kLanes) return;
    auto& last = last_[frame.lane()];
    if (frame.offset() == 0) ++last;
    frame.set_parcel(last);
  }

 private:
  std::array<std::uint64_t, kLanes> last_{};
};

struct Call {
  grpc::ServerContext& below_context;
  Below& below;
  grpc::ClientContext above_context;
  std::unique_ptr<Above> above;
  std::mutex writing_up;
  Numbering up, down;
};

}  // namespace

struct Middle::Impl final : grpc::Service {
  int client;
  std::shared_ptr<grpc::Channel> channel;
  grpc::internal::RpcMethod method;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
  std::mutex mutex;  // of the hooks and the present call
  Change up, down;
  bool passes_refusals = false;
  Call* present = nullptr;
  std::atomic<std::size_t> calls{0};

  Impl(int number, const std::string& address, const transport::Tls& as_client)
      : client(number),
        channel(
            grpc::CreateChannel(address, grpc::SslCredentials({as_client.ca_pem, as_client.key_pem,
                                                               as_client.certificate_pem}))),
        method(kMethod, grpc::internal::RpcMethod::BIDI_STREAMING, channel) {
    using Handler = grpc::internal::BidiStreamingHandler<Impl, v1::Frame, v1::Frame>;
    const auto attend = [](Impl* self, grpc::ServerContext* context, Below* stream) {
      return self->attend(*context, *stream);
    };
    AddMethod(new grpc::internal::RpcServiceMethod(
        kMethod, grpc::internal::RpcMethod::BIDI_STREAMING, new Handler(attend, this)));
  }

  Frames changed(Change Impl::*hook, v1::Frame frame) {
    const std::lock_guard lock(mutex);
    if (frame.kind() == v1::Frame::GOODBYE && !passes_refusals) frame.set_refused(false);
    if (!(this->*hook) || !is_parcel(frame)) return {std::move(frame)};
    return (this->*hook)(frame);
  }

  bool write_up(Call& call, Frames frames) {
    const std::lock_guard lock(call.writing_up);
    for (auto& frame : frames) {
      call.up.put(frame);
      if (!call.above->Write(frame)) return false;
    }
    return true;
  }

  // Whatever the server says; then, unless it has said goodbye, the client is cut off.
  void pass_down(Call& call) {
    bool goodbye = false;
    for (v1::Frame frame; call.above->Read(&frame);) {
      goodbye = goodbye || frame.kind() == v1::Frame::GOODBYE;
      for (auto& passed : changed(&Impl::down, std::move(frame))) {
        call.down.put(passed);
        call.below.Write(passed);
      }
    }
    if (!goodbye) call.below_context.TryCancel();
  }

  grpc::Status attend(grpc::ServerContext& context, Below& stream) {
    using Factory = grpc::internal::ClientReaderWriterFactory<v1::Frame, v1::Frame>;
    Call call{.below_context = context,
              .below = stream,
              .above_context = {},
              .above = {},
              .writing_up = {},
              .up = {},
              .down = {}};
    call.above.reset(Factory::Create(channel.get(), method, &call.above_context));
    {
      const std::lock_guard lock(mutex);
      present = &call;
    }
    ++calls;
    std::thread reader([&] { pass_down(call); });
    for (v1::Frame frame; stream.Read(&frame);) {
      if (!write_up(call, changed(&Impl::up, std::move(frame)))) break;
    }
    {
      const std::lock_guard lock(mutex);
      if (present == &call) present = nullptr;
    }
    {
      const std::lock_guard lock(call.writing_up);
      call.above->WritesDone();
    }
    call.above_context.TryCancel();
    reader.join();
    return grpc::Status::OK;
  }
};

Middle::Middle(int client, const std::string& server, const transport::Tls& as_server,
               const transport::Tls& as_client)
    : impl_(std::make_unique<Impl>(client, server, as_client)) {
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = as_server.ca_pem;
  options.pem_key_cert_pairs.push_back({as_server.key_pem, as_server.certificate_pem});
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &impl_->port);
  builder.RegisterService(impl_.get());
  impl_->server = builder.BuildAndStart();
  FEDVS_CHECK(impl_->server != nullptr && impl_->port > 0, "the middle listens");
}

Middle::~Middle() {
  cut();
  impl_->server->Shutdown(std::chrono::system_clock::now());
}

std::string Middle::address() const { return "127.0.0.1:" + std::to_string(impl_->port); }

void Middle::change_up(Change change) {
  const std::lock_guard lock(impl_->mutex);
  impl_->up = std::move(change);
}

void Middle::change_down(Change change) {
  const std::lock_guard lock(impl_->mutex);
  impl_->down = std::move(change);
}

void Middle::pass_refusals() {
  const std::lock_guard lock(impl_->mutex);
  impl_->passes_refusals = true;
}

bool Middle::send_up(v1::Frame frame) {
  const std::lock_guard lock(impl_->mutex);
  return impl_->present != nullptr && impl_->write_up(*impl_->present, {std::move(frame)});
}

void Middle::cut() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->present == nullptr) return;
  impl_->present->above_context.TryCancel();
  impl_->present->below_context.TryCancel();
}

std::size_t Middle::calls() const { return impl_->calls; }

v1::Frame Middle::parcel_to(int to, std::string bytes) const {
  v1::Frame frame;
  frame.set_kind(v1::Frame::CHUNK);
  frame.set_from(impl_->client);
  frame.set_to(to);
  return with_bytes(std::move(frame), std::move(bytes));
}

bool is_parcel(const v1::Frame& frame) {
  return frame.kind() == v1::Frame::CHUNK && frame.offset() == 0 &&
         frame.total() == frame.payload().size();
}

std::optional<wire::Envelope> envelope_in(const v1::Frame& frame, int clients) {
  if (!is_parcel(frame)) return {};
  auto read = wire::decode_envelope({.parties = clients, .contents = 1 << 30}, frame.payload());
  if (!read) return {};
  return std::move(*read);
}

v1::Frame with_bytes(v1::Frame frame, std::string bytes) {
  frame.set_total(bytes.size());
  frame.set_payload(std::move(bytes));
  return frame;
}

v1::Frame with(v1::Frame frame, const wire::Envelope& envelope) {
  return with_bytes(std::move(frame), wire::encode(envelope));
}

}  // namespace fedvs::party::testing
