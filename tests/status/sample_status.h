// A run in the middle of things: every kind of client, and text that somebody else wrote.
#pragma once
#include "fedvs/party/run_status.h"

namespace fedvs::status {

inline party::ClientStatus sample_client(std::string name) {
  party::ClientStatus client;
  client.name = std::move(name);
  client.connected = true;
  client.heard_seconds_ago = 0.2;
  client.bytes_in = 12'345'678;
  client.bytes_out = 987'654;
  client.connects = 1;
  return client;
}

inline std::vector<party::ClientStatus> sample_clients() {
  std::vector<party::ClientStatus> all;
  for (const char* name : {"bank-a", "bank-b", "clinic", "lab", "shop", "depot", "nobody"}) {
    all.push_back(sample_client(name));
  }
  all[1].late_seconds = 3.25;  // slow
  all[1].missed = 37;
  all[2].connected = false;  // away
  all[2].heard_seconds_ago = 12;
  all[2].late_seconds = 0.8;
  all[3].dead = true;
  all[3].connected = false;
  all[3].heard_seconds_ago = 130;
  all[3].model_age = 61;
  all[4].behind = true;
  all[4].connects = 3;
  all[4].restarts = 2;
  all[5].heard_seconds_ago = 14;
  all[6] = party::ClientStatus{};
  all[6].name = "nobody";
  all[6].late_seconds = -1;
  return all;
}

inline party::RunStatus sample_status() {
  party::RunStatus s;
  s.job = "credit-card";
  s.phase = "training";
  s.progress.round = 341;
  s.progress.rounds = 1170;
  s.progress.epoch = 2;
  s.progress.epochs = 5;
  s.uploads.needed = 5;
  s.uploads.may_be_late = 2;
  s.heads.agreeing = 3;
  s.heads.needed = 5;
  s.exposure.largest = 8.57;
  s.exposure.text = "exposure 8.57 (limit 0.2). Below the limit is necessary, not sufficient";
  s.progress.loss = 0.4312;
  s.progress.accuracy = 0.851;
  s.running_seconds = 27.8;
  s.rounds_per_second = 12.5;
  s.server_restarts = 1;
  s.progress.revisions = 3;
  s.idle.rounds = 17;
  s.idle.epochs = 1;
  s.relayed_bytes = 1'234'567'890;
  s.clients = sample_clients();
  s.events = {"09:30:01 lab connected", "09:31:12 lab is dead"};
  return s;
}

inline party::RunStatus
sharing_status() {  // bank-b, the second of seven, has few rows of the third
  party::RunStatus s = sample_status();
  s.phase = "sharing rows";
  for (auto& client : s.clients) client.rows_of.assign(s.clients.size(), 1);
  s.clients[1].rows_of[2] = 0.25;
  s.clients[1].rows_of[3] = 0.5;
  s.rows.shared = 0.97;
  s.rows.seconds_left = 90;
  return s;
}

}  // namespace fedvs::status
