/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/**
 * What is walked through.
 *
 * @param messages how many the lane has, all with the same key
 * @param shared those that another handler takes too, as a mask
 * @param handler what the lane's handler is like
 * @param stray whether a message of another key was drawn first, and is committed at any time
 */
record MergeSetup(int messages, int shared, Handler handler, boolean stray, Budget budget) {

  /** A handler, by what makes a difference to the order. */
  enum Handler {
    PLAIN,
    /** Lets later messages pass one that has failed. */
    PASSING,
    TRANSACTIONAL,
    /** The same as passing, in a partition whose owners died: what is next is stored first. */
    WATCHED
  }

  /** How many things may still happen that only the outside decides; it bounds the model. */
  record Budget(int failures, int crashes, int handOvers, int spills, int lostAnswers) {

    static final Budget NOTHING = new Budget(0, 0, 0, 0, 0);

    Budget withFailures(int number) {
      return new Budget(number, crashes, handOvers, spills, lostAnswers);
    }

    Budget withCrashes(int number) {
      return new Budget(failures, number, handOvers, spills, lostAnswers);
    }

    Budget withHandOvers(int number) {
      return new Budget(failures, crashes, number, spills, lostAnswers);
    }

    Budget withSpills(int number) {
      return new Budget(failures, crashes, handOvers, number, lostAnswers);
    }

    Budget withLostAnswers(int number) {
      return new Budget(failures, crashes, handOvers, spills, number);
    }
  }

  boolean isShared(int message) {
    return (shared & (1 << message)) != 0;
  }

  boolean isTransactional() {
    return handler == Handler.TRANSACTIONAL;
  }

  boolean passes() {
    return handler == Handler.PASSING || handler == Handler.WATCHED;
  }

  boolean isWatched() {
    return handler == Handler.WATCHED;
  }
}
