// What comes over the server's connections, and who is put out for it.
#include <fmt/format.h>

#include "fedvs/net/wire/codec.h"
#include "fedvs/party/life_card.h"
#include "fedvs/party/server_party.h"
#include "fedvs/protocol/sender.h"

namespace fedvs::party {

// Before the agreement nothing is expected but introductions.
wire::EnvelopeLimits ServerParty::envelope_limits() const {
  return {.parties = client_count(), .contents = largest_message_};
}

// Whoever comes and goes all the time is written about now and then.
void ServerParty::note_about(int client, const std::string& text) {
  if (notes_.pass(now(), client)) watch_.on_note(text);
}

Status ServerParty::on(const Reception::Connected& event) {
  left(event.client);  // whatever connection it had before
  note_about(event.client, fmt::format("{} connected", name(event.client)));
  return {};
}

Status ServerParty::on(const Reception::Disconnected& event) {
  left(event.client);
  note_about(event.client, fmt::format("{} disconnected: {}", name(event.client), event.reason));
  return {};
}

Status ServerParty::on(const Reception::Arrived& event) {
  auto envelope = wire::decode_envelope(envelope_limits(), *event.bytes);
  if (!envelope) return refuse(event.client, envelope.error().message);
  return std::visit([&](auto& e) { return take(event.client, std::move(e)); }, *envelope);
}

// Whoever sends what it must not is put out, with the reason in the log; the run goes on.
Status ServerParty::refuse(int client, const std::string& reason) {
  note_about(client, fmt::format("{} refused: {}", name(client), reason));
  reception_.put_out(client, reason);
  left(client);
  return {};
}

void ServerParty::left(int client) {
  hellos_.forget(client);  // said over a connection that is gone
  if (!kit_.door.settled()) return start_over(client);
  if (run_) run_->server().lost(now(), client);
}

// A client is away or was sent away before rows were shared: nothing is lost, everybody waits for
// it, and it may come with another file.
void ServerParty::start_over(int client) {
  kit_.door.forget(client);
  if (!run_) return;
  run_.reset();
  reception_.seats().forget_hellos();
  for (int n = 0; n < client_count(); ++n) hellos_.forget(n);
  waiting_since_ = Clock::now();
  watch_.on_note(fmt::format("no rows have been shared yet; everybody waits for {}", name(client)));
}

Status ServerParty::take(int client, wire::Introduction&& introduction) {
  auto& seats = reception_.seats();
  if (seats.stage(client) != Stage::kConnected) {
    return refuse(client, "it has introduced itself twice");
  }
  if (const auto known = kit_.door.introduce(client, introduction); !known) {
    return refuse(client, known.error().message);
  }
  seats.introduce(client);
  if (!kit_.door.settled()) {
    reception_.tell(client, wire::encode(wire::Envelope(kit_.door.offer())));
    return {};
  }
  seats.come(client);  // with the rows of before: the door knows its data
  reception_.tell(client, wire::encode(wire::Envelope(kit_.terms())));
  return {};
}

Status ServerParty::take(int client, wire::RowsAnswer&& answer) {
  // The door remembers who has come before; an answer belongs to an offer on this connection.
  auto& seats = reception_.seats();
  if (seats.stage(client) != Stage::kIntroduced) {
    return refuse(client, "it answers what it was not asked");
  }
  if (const auto come = kit_.door.answer(client, answer); !come) {
    return refuse(client, come.error().message);
  }
  seats.come(client);
  return kit_.door.complete() && !run_ ? begin_run() : Status{};
}

Status ServerParty::take(int client, wire::OpenMessage&& open) {
  if (reception_.seats().stage(client) < Stage::kCome) {
    return refuse(client, "a message before the introduction");
  }
  if (!run_) return {};  // of a run that came to nothing: the next one's terms will come
  const auto message = wire::decode(run_->agreement(), open.bytes);
  if (!message) return refuse(client, message.error().message);
  if (protocol::sender_of(**message) != client) {
    return refuse(client, "a message in the name of another party");
  }
  return take(client, *message);
}

Status ServerParty::take(int client, const protocol::MessagePtr& message) {
  if (const auto* upload = std::get_if<protocol::Upload>(message.get())) {
    watch_.uploaded(client, upload->revision, now());
  }
  if (const auto* verdict = std::get_if<protocol::RowVerdict>(message.get())) {
    return weigh(*verdict);
  }
  if (std::holds_alternative<protocol::Hello>(*message)) {
    return hellos_.pass(now(), client, message) ? let_in(message) : Status{};
  }
  return run_->driver().receive(message);
}

Status ServerParty::let_in(const protocol::MessagePtr& message) {
  const auto& hello = std::get<protocol::Hello>(*message);
  if (const auto own = check_card(roster(), hello.from, hello.incarnation, hello.card); !own) {
    return refuse(hello.from, own.error().message);
  }
  run_->verdicts().begin_life(hello.from, hello.incarnation);
  reception_.greet(hello.from);
  return run_->driver().receive(message);
}

// What clients found when they compared their rows. One that most of them find to differ is sent
// away; once most find no difference, rows are shared and what was said is final.
Status ServerParty::weigh(const protocol::RowVerdict& verdict) {
  if (kit_.door.settled()) return {};
  auto& verdicts = run_->verdicts();
  verdicts.add(verdict);
  if (verdicts.all_agree()) return kit_.settle();
  const auto differing = verdicts.differing();
  if (differing.empty() && verdicts.all_said()) {
    watch_.on_note(
        "the clients' row ids differ, and no file is the one of most of them; compare the ids (the "
        "key to compare them with came from " +
        name(0) + ")");
  }
  for (const int n : differing) {  // the first of them ends this run
    FEDVS_TRY_STATUS(
        refuse(n, fmt::format("the row ids of {} are not those of most clients; it may come again "
                              "with the right file: nothing has been shared or noted",
                              name(n))));
  }
  return {};
}

}  // namespace fedvs::party
