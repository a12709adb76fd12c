// A man in the middle who holds everybody's TLS keys: clients connect to it, it connects to the
// server in their place, and whatever passes it can be read, changed, held back, repeated or made
// up. Works on frames of the transport, with plain gRPC and protobuf.
//
// What it plays: a client that does what it should not (frames that it makes up), and a server that
// relays sealed messages badly.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/net/transport/tls.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/v1/transport.pb.h"

namespace fedvs::party::testing {

using Frames = std::vector<v1::Frame>;
// What goes on in place of a frame with a whole parcel in it: itself, nothing, several. Frames with
// parts of parcels, heartbeats and goodbyes are passed on without asking. Called under a lock; the
// numbers of parcels are put right afterwards.
using Change = std::function<Frames(const v1::Frame&)>;

class Middle {
 public:
  // Between `client` and the server at `server`.
  Middle(int client, const std::string& server, const transport::Tls& as_server,
         const transport::Tls& as_client);
  ~Middle();
  std::string address() const;

  // From now on; none: pass everything on as it is. Goodbyes that forbid to come back lose that
  // word, so that the client behind comes back, unless refusals are passed on too.
  void change_up(Change change);    // from the client
  void change_down(Change change);  // to the client
  void pass_refusals();
  // One more frame to the server, as it is but for the number of its parcel. False: not connected.
  bool send_up(v1::Frame frame);
  void cut();                 // the present connection
  std::size_t calls() const;  // so far

  v1::Frame parcel_to(int to, std::string bytes) const;  // from the client, on the first lane

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

bool is_parcel(const v1::Frame& frame);  // a whole one
// What is in a whole parcel, if it can be read; terms only by who knows how many clients there are.
std::optional<wire::Envelope> envelope_in(const v1::Frame& frame, int clients = 1 << 16);
v1::Frame with_bytes(v1::Frame frame, std::string bytes);
v1::Frame with(v1::Frame frame, const wire::Envelope& envelope);

}  // namespace fedvs::party::testing
