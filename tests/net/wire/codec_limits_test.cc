// Messages that a faulty or hostile peer may send, one wrong thing each.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "fedvs/net/wire/codec.h"
#include "fedvs/v1/protocol.pb.h"
#include "tests/support/wire_samples.h"

namespace fedvs::wire {
namespace {

using fedvs::testing::wire_agreement;
using fedvs::testing::WireSamples;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CodecLimits : public ::testing::Test {
 protected:
  // The reason for which `bytes` are refused.
  static std::string refusal(const protocol::Agreement& agreement, const std::string& bytes) {
    const auto read = decode(agreement, bytes);
    EXPECT_FALSE(read) << "nothing was refused";
    if (read) return "";
    EXPECT_EQ(read.error().code, ErrorCode::kRefused);
    return read.error().message;
  }
  std::string refusal(const std::string& bytes) const { return refusal(agreement_, bytes); }
  std::string refusal(const protocol::Message& sample,
                      const std::function<void(v1::Message&)>& change) const {
    v1::Message message;
    EXPECT_TRUE(message.ParseFromString(encode(sample)));
    EXPECT_TRUE(decode(agreement_, message.SerializeAsString()));
    change(message);
    return refusal(message.SerializeAsString());
  }
  const protocol::Agreement agreement_ = wire_agreement("rns4");  // 7 clients, 5 or 6 rows, width 3
  WireSamples samples_{agreement_, 1};
};

TEST_F(CodecLimits, BytesThatAreNoMessage) {
  EXPECT_THAT(refusal(""), HasSubstr("no kind in 0 bytes"));
  EXPECT_THAT(refusal(std::string(3, '\0')), HasSubstr("no field begins"));
  EXPECT_THAT(refusal("\x0a\x7f"), HasSubstr("cut short"));
  EXPECT_THAT(refusal("\x0a\xff\xff\xff\xff\x0f"), HasSubstr("cut short"));
  EXPECT_THAT(refusal("\x0b"), HasSubstr("cut short"));        // a group, which we never use
  EXPECT_THAT(refusal("\x08\x01"), HasSubstr("is a number"));  // a kind that is a varint
  EXPECT_THAT(refusal("\x0a\x01\xff"), HasSubstr("cannot be parsed"));
}

TEST_F(CodecLimits, AnUnknownKind) {
  EXPECT_THAT(refusal(std::string("\xb2\x01\x00", 3)),
              AllOf(HasSubstr("of kind 22"), HasSubstr("same version")));
  EXPECT_THAT(refusal(std::string("\xfa\x03\x00", 3)), HasSubstr("of kind 63"));
}

TEST_F(CodecLimits, MoreThanOneKindOrValues) {
  const std::string request = encode(protocol::ReportRequest{});
  EXPECT_THAT(refusal(request + request), HasSubstr("two kinds at once, 12 and 12"));
  EXPECT_THAT(refusal(request + encode(protocol::Regather{})), HasSubstr("12 and 14"));
  const std::string key = encode(samples_.row_key());
  EXPECT_THAT(refusal(key + std::string("\x82\x04\x00", 3)), HasSubstr("values twice"));
}

TEST_F(CodecLimits, MoreBytesThanTheJobsLargestMessage) {
  const std::size_t most = largest_message(agreement_);
  EXPECT_THAT(refusal(std::string(most + 1, 'x')),
              AllOf(HasSubstr(std::to_string(most + 1)), HasSubstr(std::to_string(most))));
}

TEST_F(CodecLimits, AHeadThatIsTooLarge) {
  // Wide data make large messages, but only their values may be large.
  const auto wide = wire_agreement("rns4", 7, 500);
  v1::Message message;
  message.mutable_farewell()->set_reason(std::string(100000, 'x'));
  EXPECT_THAT(refusal(wide, message.SerializeAsString()),
              AllOf(HasSubstr("farewell"), HasSubstr("beside its values")));
}

TEST_F(CodecLimits, ValuesWhereNoneBelong) {
  EXPECT_THAT(refusal(samples_.hello(), [](auto& m) { m.set_values("x"); }),
              AllOf(HasSubstr("hello"), HasSubstr("1 bytes of values, where none belong")));
  EXPECT_THAT(refusal(samples_.first_step(), [](auto& m) { m.set_values("four"); }),
              HasSubstr("4 bytes of values without a gradient"));
  EXPECT_THAT(refusal(samples_.upload(), [](auto& m) { m.mutable_upload()->clear_shape(); }),
              HasSubstr("bytes of values without a shape"));
}

TEST_F(CodecLimits, AMatrixLargerThanTheJobAllows) {
  const auto huge = [](auto& m) {
    m.mutable_upload()->mutable_shape()->set_rows(std::uint64_t{1} << 62);
    m.mutable_upload()->mutable_shape()->set_cols(4);
  };
  EXPECT_THAT(refusal(samples_.upload(), huge),
              AllOf(HasSubstr("upload"), HasSubstr("4611686018427387904 x 4"),
                    HasSubstr(fmt::format("where {} x 3 are the most", agreement_.most_rows()))));
  const auto wider = [](auto& m) { m.mutable_model_share()->mutable_shape()->set_cols(1 << 20); };
  EXPECT_THAT(refusal(samples_.model_share(), wider), HasSubstr("are the most"));
  const auto two_rows = [](auto& m) { m.mutable_data_share()->mutable_shape()->set_rows(2); };
  EXPECT_THAT(refusal(samples_.data_share(), two_rows), HasSubstr("are the most"));
}

TEST_F(CodecLimits, ValuesThatDoNotFillTheirShape) {
  for (const protocol::Message& sample : std::vector<protocol::Message>{
           samples_.upload(), samples_.model_share(), samples_.data_share()}) {
    EXPECT_THAT(refusal(sample, [](auto& m) { m.mutable_values()->push_back('\0'); }),
                HasSubstr("values of rns4, which take"));
    EXPECT_THAT(refusal(sample, [](auto& m) { m.mutable_values()->pop_back(); }),
                HasSubstr("values of rns4, which take"));
    EXPECT_THAT(refusal(sample, [](auto& m) { m.clear_values(); }), HasSubstr("0 bytes for"));
  }
}

TEST_F(CodecLimits, AResidueThatIsNotBelowItsPrime) {
  // The last element of the last plane: 233, while 232 is the largest residue.
  const auto too_large = [](auto& m) { m.mutable_values()->back() = static_cast<char>(233); };
  EXPECT_THAT(refusal(samples_.upload(), too_large), HasSubstr("not below the prime 233"));
  const auto first = [](auto& m) { m.mutable_values()->front() = static_cast<char>(251); };
  EXPECT_THAT(refusal(samples_.model_share(), first), HasSubstr("not below the prime 251"));
}

TEST_F(CodecLimits, InM31ThePrimeItselfIsRefusedAndOneLessIsNot) {
  const auto m31 = wire_agreement("m31");
  v1::Message message;
  ASSERT_TRUE(message.ParseFromString(encode(WireSamples(m31, 2).model_share())));
  message.mutable_values()->replace(0, 4, "\xfe\xff\xff\x7f", 4);
  EXPECT_TRUE(decode(m31, message.SerializeAsString()));
  message.mutable_values()->replace(0, 4, "\xff\xff\xff\x7f", 4);
  EXPECT_THAT(refusal(m31, message.SerializeAsString()), HasSubstr("prime 2147483647"));
}

TEST_F(CodecLimits, ARefusalDoesNotTellTheSecretItIsAbout) {
  const auto m31 = wire_agreement("m31");
  v1::Message message;
  ASSERT_TRUE(message.ParseFromString(encode(WireSamples(m31, 2).model_share())));
  message.mutable_values()->replace(0, 4, "\xd2\x02\x96\xff", 4);  // 4288021202
  EXPECT_THAT(refusal(m31, message.SerializeAsString()), ::testing::Not(HasSubstr("4288021202")));
}

TEST_F(CodecLimits, NumbersOfClientsPartsAndEndings) {
  EXPECT_THAT(refusal(samples_.hello(), [](auto& m) { m.mutable_hello()->set_from(7); }),
              HasSubstr("client 8 of 7"));
  const auto last = [](auto& m) { m.mutable_report()->set_from(0xffffffffu); };
  EXPECT_THAT(refusal(samples_.report(), last), HasSubstr("client 4294967296 of 7"));
  const auto part = [](auto& m) { m.mutable_data_share()->set_part(static_cast<v1::Part>(3)); };
  EXPECT_THAT(refusal(samples_.data_share(), part), HasSubstr("part 3"));
  const auto below = [](auto& m) { m.mutable_data_request()->set_part(static_cast<v1::Part>(-1)); };
  EXPECT_THAT(refusal(samples_.data_request(), below), HasSubstr("part -1"));
  const auto maker = [](auto& m) { m.mutable_seed_share()->set_maker(9); };
  EXPECT_THAT(refusal(samples_.seed_share(), maker), HasSubstr("client 10 of 7"));
  const auto ending = [](auto& m) { m.mutable_farewell()->set_ending(static_cast<v1::Ending>(4)); };
  EXPECT_THAT(refusal(samples_.farewell(), ending), HasSubstr("ending 4"));
}

TEST_F(CodecLimits, IncarnationsDigestsAndKeysOfAnotherLength) {
  EXPECT_THAT(refusal(samples_.hello(), [](auto& m) { m.mutable_hello()->clear_incarnation(); }),
              HasSubstr("an incarnation of 0 bytes instead of 16"));
  const auto chain = [](auto& m) { m.mutable_hello()->mutable_chain()->push_back('x'); };
  EXPECT_THAT(refusal(samples_.hello(), chain), HasSubstr("a digest of 33 bytes instead of 32"));
  EXPECT_THAT(refusal(samples_.row_key(), [](auto& m) { m.clear_values(); }),
              HasSubstr("a key of 0 bytes instead of 32"));
  const auto life = [](auto& m) {
    m.mutable_step()->mutable_plan()->mutable_versions(0)->set_incarnation("x");
  };
  EXPECT_THAT(refusal(samples_.step(), life), HasSubstr("an incarnation of 1 bytes"));
  const auto client = [](auto& m) { m.mutable_welcome()->set_clients(3, ""); };
  EXPECT_THAT(refusal(samples_.welcome(), client), HasSubstr("an incarnation of 0 bytes"));
  const auto sharing = [](auto& m) { m.mutable_data_share()->set_sharing("x"); };
  EXPECT_THAT(refusal(samples_.data_share(), sharing), HasSubstr("a sharing of 1 bytes"));
  const auto commitment = [](auto& m) { m.mutable_seed_share()->set_commitments(0, "x"); };
  EXPECT_THAT(refusal(samples_.seed_share(), commitment), HasSubstr("a digest of 1 bytes"));
}

TEST_F(CodecLimits, ListsLongerThanThereAreClients) {
  EXPECT_THAT(refusal(samples_.welcome(), [](auto& m) { m.mutable_welcome()->add_sharings(""); }),
              HasSubstr("8 sharings for 7 clients"));
  EXPECT_THAT(refusal(samples_.welcome(), [](auto& m) { m.mutable_welcome()->add_clients(""); }),
              HasSubstr("8 incarnations for 7 clients"));
  EXPECT_THAT(refusal(samples_.step(), [](auto& m) { m.mutable_step()->add_share(true); }),
              HasSubstr("8 flags for 7 clients"));
  EXPECT_THAT(refusal(samples_.step(), [](auto& m) { m.mutable_step()->add_frozen(true); }),
              HasSubstr("8 flags"));
  EXPECT_THAT(refusal(samples_.step(), [](auto& m) { m.mutable_step()->add_released(true); }),
              HasSubstr("8 flags"));
  const auto versions = [](auto& m) { m.mutable_step()->mutable_plan()->add_versions(); };
  EXPECT_THAT(refusal(samples_.step(), versions), HasSubstr("8 versions for 7 clients"));
  const auto lists = [](auto& m) { m.mutable_welcome()->add_seeds(""); };
  EXPECT_THAT(refusal(samples_.welcome(), lists), HasSubstr("8 lists of seeds for 7 clients"));
}

TEST_F(CodecLimits, GroupsOfMoreThanAllOrOfStrangers) {
  const auto twice = [](auto& m) {
    m.mutable_step()->mutable_groups()->mutable_groups(0)->add_members(1);
  };
  EXPECT_THAT(refusal(samples_.step(), twice), HasSubstr("8 members of groups for 7 clients"));
  const auto stranger = [](auto& m) {
    m.mutable_step()->mutable_groups()->mutable_groups(0)->set_members(0, 7);
  };
  EXPECT_THAT(refusal(samples_.step(), stranger), HasSubstr("client 8 of 7"));
  const auto empty = [](auto& m) {
    while (m.step().groups().groups_size() < 8) m.mutable_step()->mutable_groups()->add_groups();
  };
  EXPECT_THAT(refusal(samples_.step(), empty), HasSubstr("8 groups for 7 clients"));
}

TEST_F(CodecLimits, PlansOfTooManyRowsOrOfRowsThatAreNotThere) {
  const auto rows = [](auto& m) {
    for (std::uint64_t row = 0; row < 100; ++row) m.mutable_step()->mutable_plan()->add_rows(row);
  };
  EXPECT_THAT(refusal(samples_.step(), rows), HasSubstr("rows where"));
  const auto row = [](auto& m) { m.mutable_step()->mutable_plan()->set_rows(0, 300); };
  EXPECT_THAT(refusal(samples_.step(), row), HasSubstr("coded row 300 of 300"));
  const auto of_test = [](auto& m) {
    m.mutable_step()->mutable_plan()->set_part(v1::PART_TEST);
    m.mutable_step()->mutable_plan()->set_rows(0, 45);
  };
  EXPECT_THAT(refusal(samples_.step(), of_test), HasSubstr("coded row 45 of 45"));
  const auto epoch = [](auto& m) { m.mutable_step()->mutable_plan()->set_epoch(1u << 31); };
  EXPECT_THAT(refusal(samples_.step(), epoch), HasSubstr("epoch 2147483648"));
}

TEST_F(CodecLimits, GradientsOfMoreValuesThanTheirPlanHas) {
  EXPECT_THAT(refusal(samples_.step(), [](auto& m) { m.mutable_values()->append("four"); }),
              AllOf(HasSubstr("step"), HasSubstr("124 bytes"), HasSubstr("30 floats")));
  EXPECT_THAT(refusal(samples_.step(), [](auto& m) { m.mutable_values()->pop_back(); }),
              HasSubstr("119 bytes"));
  const auto no_plan = [](auto& m) { m.mutable_step()->mutable_gradient()->clear_plan(); };
  EXPECT_THAT(refusal(samples_.step(), no_plan), HasSubstr("0 floats"));
}

TEST_F(CodecLimits, MoreSeedsThanThereAreSetsOrBytesThatAreNoneOfThem) {
  const auto sets = [](auto& m) {
    while (m.seed_share().sets_size() < 8) m.mutable_seed_share()->add_sets(1);
  };
  EXPECT_THAT(refusal(samples_.seed_share(), sets), HasSubstr("where there are 7 sets"));
  const auto lists = [](auto& m) {
    while (m.seed_share().commitments_size() < 8) m.mutable_seed_share()->add_commitments("");
  };
  EXPECT_THAT(refusal(samples_.seed_share(), lists), HasSubstr("where there are 7 sets"));
  const auto cut = [](auto& m) { m.mutable_values()->pop_back(); };
  EXPECT_THAT(refusal(samples_.seed_share(), cut), HasSubstr("95 bytes of 3 seeds"));
}

TEST_F(CodecLimits, HoldingsWhoseListsDoNotMatch) {
  const auto life = [](auto& m) { m.mutable_report()->mutable_holdings()->add_newest_life(1); };
  EXPECT_THAT(refusal(samples_.report(), life), HasSubstr("8 lives of 7 newest versions"));
  const auto senders = [](auto& m) { m.mutable_upload()->mutable_holdings()->add_newest_step(1); };
  EXPECT_THAT(refusal(samples_.upload(), senders), HasSubstr("8 newest versions for 7 clients"));
}

}  // namespace
}  // namespace fedvs::wire
