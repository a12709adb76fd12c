// What files are called in the folders of server and clients.
#pragma once
#include <string_view>

namespace fedvs::deploy::files {

inline constexpr std::string_view kJob = "job.toml";
inline constexpr std::string_view kRoster = "roster.toml";
// server
inline constexpr std::string_view kServer = "server";
inline constexpr std::string_view kInvitations = "invitations";
inline constexpr std::string_view kDeployment = "deployment.toml";
inline constexpr std::string_view kAuthorityKey = "authority.key";
inline constexpr std::string_view kAuthorityCertificate = "authority.crt";
inline constexpr std::string_view kServerKey = "server.key";
inline constexpr std::string_view kServerCertificate = "server.crt";
inline constexpr std::string_view kSigningKey = "signing.key";
inline constexpr std::string_view kAdmitted = "admitted";
// client
inline constexpr std::string_view kInvitation = "invitation.toml";
inline constexpr std::string_view kTlsKey = "tls.key";
inline constexpr std::string_view kSealingKey = "sealing.key";
inline constexpr std::string_view kDataKey = "data.key";
inline constexpr std::string_view kConfirmed = "roster.confirmed";

}  // namespace fedvs::deploy::files
