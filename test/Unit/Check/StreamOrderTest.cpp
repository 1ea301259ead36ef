//===-- StreamOrderTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/StreamOrder.h"

#include "gtest/gtest.h"

using namespace wavelane::check;
using wavelane::simulator::OrderNote;

namespace {
class StreamOrderTest : public testing::Test {
protected:
  void note(OrderNote::What What, uint32_t Queue, uint64_t Other = 0) {
    EXPECT_TRUE(Order.note({What, Queue, Other, 0}));
  }
  StreamOrder Order;
};
} // namespace

TEST_F(StreamOrderTest, AStreamOrders) {
  const auto A = Order.copy(1), B = Order.copy(1);
  EXPECT_TRUE(StreamOrder::isBefore(A, B));
  EXPECT_FALSE(StreamOrder::isBefore(B, A));
  EXPECT_TRUE(Order.isSettled());
}

TEST_F(StreamOrderTest, StreamsAreUnordered) {
  const auto A = Order.copy(1), B = Order.copy(2);
  EXPECT_FALSE(StreamOrder::isBefore(A, B));
  EXPECT_FALSE(StreamOrder::isBefore(B, A));
  EXPECT_FALSE(Order.isSettled());
}

TEST_F(StreamOrderTest, EventsOrder) {
  const auto A = Order.copy(1);
  note(OrderNote::EventAfterStream, 1, 0x100);
  const auto Later = Order.copy(1);
  note(OrderNote::StreamAfterEvent, 2, 0x100);
  const auto B = Order.copy(2);
  EXPECT_TRUE(StreamOrder::isBefore(A, B));
  EXPECT_FALSE(StreamOrder::isBefore(Later, B));
}

TEST_F(StreamOrderTest, TheHostOrders) {
  const auto A = Order.copy(1), Other = Order.copy(2);
  note(OrderNote::HostAfterStream, 1);
  const auto B = Order.copy(3);
  EXPECT_TRUE(StreamOrder::isBefore(A, B));
  EXPECT_FALSE(StreamOrder::isBefore(Other, B));
  note(OrderNote::HostAfterAll, 0);
  EXPECT_TRUE(Order.isSettled());
  EXPECT_TRUE(StreamOrder::isBefore(Other, Order.copy(3)));
}

TEST_F(StreamOrderTest, AKernelIsOrderedWhereItWasLaunched) {
  note(OrderNote::Launched, 1, 7);
  const auto A = Order.copy(2);
  note(OrderNote::HostAfterStream, 2);
  const auto Kernel = Order.kernel(1, 7);
  EXPECT_FALSE(StreamOrder::isBefore(A, Kernel));
  // Of a kernel that nothing is known of, nothing is said.
  EXPECT_TRUE(StreamOrder::isBefore(A, Order.kernel(1, 8)));
}

TEST_F(StreamOrderTest, MalformedNotes) {
  EXPECT_FALSE(Order.note({0, 1, 2, 0}));
  EXPECT_FALSE(Order.note({8, 1, 2, 0}));
}

TEST_F(StreamOrderTest, TheHostsOwnAccesses) {
  const auto Before = Order.copy(1);
  const auto Access = Order.host();
  EXPECT_FALSE(StreamOrder::isBefore(Before, Access));
  EXPECT_FALSE(StreamOrder::isBefore(Access, Before));
  EXPECT_TRUE(StreamOrder::isBefore(Access, Order.copy(1)));
  note(OrderNote::HostAfterStream, 1);
  EXPECT_TRUE(StreamOrder::isBefore(Before, Order.host()));
}

TEST_F(StreamOrderTest, OneStreamIsNotSettledBeforeTheHostHasWaited) {
  Order.followHost();
  Order.copy(1);
  EXPECT_FALSE(Order.isSettled());
  note(OrderNote::HostAfterAll, 0);
  EXPECT_TRUE(Order.isSettled());
}

TEST_F(StreamOrderTest, NumbersThatAreNoQueuesOrEventsAreRefused) {
  for (uint32_t Queue : {UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2}) {
    EXPECT_EQ(Order.copy(Queue).Number, 0u);
    for (uint32_t What = OrderNote::HostAfterStream;
         What <= OrderNote::Launched; ++What)
      EXPECT_FALSE(Order.note({OrderNote::What(What), Queue, 0, 0}));
    EXPECT_FALSE(Order.note({OrderNote::StreamAfterStream, 1, Queue, 0}));
  }
  for (uint64_t Event : {UINT64_MAX, UINT64_MAX - 1})
    for (auto What : {OrderNote::HostAfterEvent, OrderNote::StreamAfterEvent,
                      OrderNote::EventAfterStream})
      EXPECT_FALSE(Order.note({What, 1, Event, 0}));
  EXPECT_TRUE(Order.isSettled());
}
