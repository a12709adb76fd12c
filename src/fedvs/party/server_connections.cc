// What comes and goes over the server's connections.
#include <fmt/format.h>

#include <ctime>

#include "fedvs/net/wire/codec.h"
#include "fedvs/party/lanes.h"
#include "fedvs/party/life_card.h"
#include "fedvs/party/sealed_post.h"
#include "fedvs/party/server_party.h"

namespace fedvs::party {

// Before the agreement nothing is expected but introductions.
wire::EnvelopeLimits ServerParty::envelope_limits() const {
  return {.parties = client_count(),
          .contents = agreement_ ? wire::largest_message(*agreement_) : 0};
}

transport::HubEvents ServerParty::events() {
  return {.on_connected =
              [this](int c, std::uint64_t s) {
                mail_.post(c, Connected{c, s}, 0);
              },
          .on_parcel =
              [this](int c, std::uint64_t s, transport::Bytes bytes) {
                const std::size_t size = bytes->size();
                mail_.post(c, Arrived{c, s, std::move(bytes)}, size);
              },
          .on_disconnected =
              [this](int c, std::uint64_t s, const std::string& reason) {
                mail_.post(c, Disconnected{c, s, reason}, reason.size());
              }};
}

Status ServerParty::listen() {
  transport::HubOptions hub{
      .address = options_.listen.empty() ? identity_.roster.server.text() : options_.listen,
      .tls = {.ca_pem = identity_.authority_pem,
              .certificate_pem = identity_.certificate_pem,
              .key_pem = std::string(identity_.key_pem.view())},
      .identify =
          [this](const std::string& pem) {
            return deploy::identify(identity_.roster, pem, std::time(nullptr));
          },
      .events = events(),
      .limits = options_.limits};
  hub.limits.largest_parcel = wire::largest_envelope(envelope_limits());
  FEDVS_TRY(hub_, transport::Hub::listen(std::move(hub)));
  return {};
}

// Whoever comes and goes all the time is written about now and then.
void ServerParty::note_about(int client, const std::string& text) {
  if (notes_.pass(now(), client)) watch_.on_note(text);
}

Status ServerParty::on(const Connected& event) {
  if (event.session < seat(event.client).newest) return {};  // overtaken by the one after it
  leave(event.client);                                       // with whatever connection it had
  seat(event.client).session = seat(event.client).newest = event.session;
  note_about(event.client, fmt::format("{} connected", name(event.client)));
  return {};
}

void ServerParty::leave(int client) {
  seat(client) = {.session = 0, .newest = seat(client).newest, .lives = seat(client).lives};
  hellos_.forget(client);  // said over a connection that is gone
  if (!door_.settled()) return start_over(client);
  if (server_) server_->lost(now(), client);
}

Status ServerParty::on(const Disconnected& event) {
  if (seat(event.client).session != event.session) return {};
  leave(event.client);
  note_about(event.client, fmt::format("{} disconnected: {}", name(event.client), event.reason));
  return {};
}

Status ServerParty::on(const Arrived& event) {
  if (seat(event.client).session != event.session) return {};
  auto envelope = wire::decode_envelope(envelope_limits(), *event.bytes);
  if (!envelope) {
    refuse(event.client, envelope.error().message);
    return {};
  }
  return std::visit([&](auto& e) { return take(event.client, std::move(e)); }, *envelope);
}

// Whoever sends what it must not is put out, with the reason in the log; the run goes on.
void ServerParty::refuse(int client, const std::string& reason) {
  note_about(client, fmt::format("{} refused: {}", name(client), reason));
  hub_->close(client, reason, /*refused=*/true, seat(client).session);
  leave(client);
}

Status ServerParty::take(int client, wire::Introduction&& introduction) {
  if (seat(client).introduced) {
    refuse(client, "it has introduced itself twice");
    return {};
  }
  if (const auto known = door_.introduce(client, introduction); !known) {
    refuse(client, known.error().message);
    return {};
  }
  seat(client).introduced = true;
  if (door_.settled()) {
    seat(client).come = true;
    send_terms(client);
    return {};
  }
  hub_->send(client, transport::Lane::kControl,
             transport::share(wire::encode(wire::Envelope(door_.offer()))), seat(client).session);
  return {};
}

Status ServerParty::take(int client, wire::RowsAnswer&& answer) {
  // The door remembers who has come before; an answer belongs to an offer on this connection.
  if (!seat(client).introduced || seat(client).come) {
    refuse(client, "it answers what it was not asked");
    return {};
  }
  if (const auto come = door_.answer(client, answer); !come) {
    refuse(client, come.error().message);
    return {};
  }
  seat(client).come = true;
  return door_.complete() && !server_ ? begin_run() : Status{};
}

Status ServerParty::take(int client, wire::OpenMessage&& open) {
  if (!seat(client).come) {
    refuse(client, "a message before the introduction");
    return {};
  }
  if (!server_) return {};  // of a run that came to nothing: the next one's terms will come
  auto message = wire::decode(*agreement_, open.bytes);
  if (!message) {
    refuse(client, message.error().message);
    return {};
  }
  if (protocol::sender_of(**message) != client) {
    refuse(client, "a message in the name of another party");
    return {};
  }
  if (const auto* upload = std::get_if<protocol::Upload>(message->get())) {
    watch_.uploaded(client, upload->revision, now());
  }
  if (const auto* verdict = std::get_if<protocol::RowVerdict>(message->get())) {
    return weigh(*verdict);
  }
  if (std::holds_alternative<protocol::Hello>(**message)) {
    return hellos_.pass(now(), client, *message) ? let_in(*message) : Status{};
  }
  return driver_->receive(*message);
}

Status ServerParty::let_in(const protocol::MessagePtr& hello) {
  const int client = protocol::sender_of(*hello);
  if (const auto greeted = greet(client, std::get<protocol::Hello>(*hello)); !greeted) {
    refuse(client, greeted.error().message);
    return {};
  }
  return driver_->receive(hello);
}

Status ServerParty::greet(int client, const protocol::Hello& hello) {
  FEDVS_TRY_STATUS(check_card(identity_.roster, client, hello.incarnation, hello.card));
  ++seat(client).lives;
  seat(client).greeted = true;
  verdicts_.begin_life(client, hello.incarnation);
  hub_->admit(client, seat(client).session);  // it has read the terms: how large parcels may be
  return {};
}

void ServerParty::send_terms(int client) {
  hub_->send(client, transport::Lane::kControl,
             transport::share(wire::encode(wire::Envelope(door_.terms(state_.run()->id)))),
             seat(client).session);
}

void ServerParty::send(int to, protocol::Lane lane, const protocol::MessagePtr& message) {
  if (!seat(to).greeted) return;  // it has not read the terms yet, or is away
  if (message != encoded_message_) {
    encoded_ =
        transport::share(wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(*message)})));
    encoded_message_ = message;
  }
  // Not to a connection that was made meanwhile: it begins with the introduction and the terms.
  hub_->send(to, lane_of(lane), encoded_, seat(to).session);
}

}  // namespace fedvs::party
