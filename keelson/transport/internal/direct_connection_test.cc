#include "keelson/transport/internal/direct_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace keelson::internal {
namespace {

constexpr size_t kSmallInput = size_t{16} << 10;

// A connection without TLS, and the other end of it.
class DirectConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    peer_ = ends[1];
    connection_ = std::make_unique<DirectConnection>(ends[0], nullptr, "");
  }
  void TearDown() override { close(peer_); }

  void Send(const std::string& bytes) {
    ASSERT_EQ(send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::string Receive() {
    EXPECT_EQ(connection_->Fill(), IoStatus::kDone);
    std::string bytes(connection_->unread());
    connection_->Consume(bytes.size());
    return bytes;
  }
  // Sends and reads pieces that fill the buffer, until it grows no more.
  void GrowInput() {
    for (int i = 0; i < 8; ++i) {
      const std::string sent(connection_->input_capacity(), static_cast<char>('a' + i));
      for (size_t at = 0; at < sent.size(); at += kSmallInput) Send(sent.substr(at, kSmallInput));
      ASSERT_EQ(Receive(), sent);
    }
  }

  int peer_ = -1;
  std::unique_ptr<DirectConnection> connection_;
};

TEST_F(DirectConnectionTest, LongAnswersAreReadInLargePieces) {
  EXPECT_EQ(connection_->input_capacity(), kSmallInput);
  GrowInput();
  EXPECT_EQ(connection_->input_capacity(), 4 * kSmallInput);
}

TEST_F(DirectConnectionTest, ManyShortReadsGiveTheMemoryOfLongOnesBack) {
  GrowInput();
  for (int i = 0; i < 200; ++i) {
    const std::string sent = "event " + std::to_string(i);
    Send(sent);
    ASSERT_EQ(Receive(), sent);
  }
  EXPECT_EQ(connection_->input_capacity(), kSmallInput);
}

TEST_F(DirectConnectionTest, AFewShortReadsAmongLongOnesDoNot) {
  GrowInput();
  const size_t grown = connection_->input_capacity();
  for (int i = 0; i < 200; ++i) {
    Send(i % 20 == 0 ? std::string(kSmallInput + 1, 'x') : "short");
    Receive();
  }
  EXPECT_EQ(connection_->input_capacity(), grown);
}

TEST_F(DirectConnectionTest, WhatIsUnreadIsKeptWhenTheMemoryIsToBeGivenBack) {
  GrowInput();
  const size_t grown = connection_->input_capacity();
  Send("unread");
  ASSERT_EQ(connection_->Fill(), IoStatus::kDone);
  connection_->ShrinkInput();
  EXPECT_EQ(connection_->unread(), "unread");
  EXPECT_EQ(connection_->input_capacity(), grown);
  connection_->Consume(connection_->unread().size());
  connection_->ShrinkInput();
  EXPECT_EQ(connection_->input_capacity(), kSmallInput);
  Send("more");
  EXPECT_EQ(Receive(), "more");
}

}  // namespace
}  // namespace keelson::internal
