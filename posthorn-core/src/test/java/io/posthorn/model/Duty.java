package io.posthorn.model;

/** One source of steps: a thread of the relay, the database, or misfortune. */
interface Duty {

  void addSteps(Turn turn);
}
