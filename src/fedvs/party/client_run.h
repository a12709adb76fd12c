// The run that a client takes part in: made from the terms that the server names, if they are what
// this client came for. Until rows are shared the server may name other terms; then this run is
// dropped and another one made.
#pragma once
#include <memory>
#include <optional>

#include "fedvs/base/prng.h"
#include "fedvs/coding/lagrange.h"
#include "fedvs/party/client_notes.h"
#include "fedvs/party/unopened_post.h"

namespace fedvs::party {

class ClientRun {
 public:
  // Goes on from the folder, if the run began before. kRefused: not what this client came for; the
  // folder's errors. `kit` and `outbox` outlive the run.
  static Result<std::unique_ptr<ClientRun>> begin(ClientKit& kit, const wire::Terms& terms,
                                                  drive::Outbox& outbox);

  Status say_hello();  // over a new connection
  Status receive(const protocol::MessagePtr& message);
  // Of another client. What cannot be opened may be kept until its sender's new life is known.
  Result<protocol::MessagePtr> open(const wire::Sealed& sealed) {
    return kit_.post.open(agreement_, sealed);
  }
  void keep_unopened(wire::Sealed&& sealed) { unopened_.keep(std::move(sealed)); }

  const wire::Terms& terms() const { return terms_; }
  const protocol::Agreement& agreement() const { return agreement_; }
  const protocol::Client& client() const { return *client_; }
  drive::ClientDriver& driver() { return *driver_; }
  ClientNotes& notes() { return *notes_; }

 private:
  ClientRun(ClientKit& kit, const wire::Terms& terms, protocol::Agreement agreement,
            coding::LagrangeCode code);
  Status make_client();
  Result<protocol::ClientOptions> options();
  Result<protocol::Groups> bound_groups() const;
  Result<protocol::LocalModel> local_model(protocol::LocalModel::Rows rows);
  Result<data::Prepared> prepare();
  Result<protocol::SharingId> share_as(const protocol::LocalModel::Rows& rows, const Digest& run);

  ClientKit& kit_;
  const wire::Terms terms_;
  const protocol::Agreement agreement_;
  const coding::LagrangeCode code_;
  std::unique_ptr<SecretSource> secrets_;
  std::unique_ptr<protocol::Client> client_;
  std::optional<ClientNotes> notes_;
  std::optional<drive::ClientDriver> driver_;
  UnopenedPost unopened_;
  bool said_hello_ = false;
};

}  // namespace fedvs::party
