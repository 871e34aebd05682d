/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.test.contract.ActionContract;
import io.posthorn.test.contract.AdminContract;
import io.posthorn.test.contract.AppendContract;
import io.posthorn.test.contract.DueContract;
import io.posthorn.test.contract.EnvelopeContract;
import io.posthorn.test.contract.FencingContract;
import io.posthorn.test.contract.HistoryContract;
import io.posthorn.test.contract.IdempotencyContract;
import io.posthorn.test.contract.LaneContract;
import io.posthorn.test.contract.LeaseContract;
import io.posthorn.test.contract.OwnershipContract;
import io.posthorn.test.contract.ReadContract;
import io.posthorn.test.contract.SettleContract;
import io.posthorn.test.contract.SteerContract;
import io.posthorn.test.contract.StoreUnderTest;
import io.posthorn.test.contract.SurveyContract;
import io.posthorn.test.contract.UnclaimedContract;
import org.junit.jupiter.api.Nested;

/** Every contract of a store, on one database. */
abstract class EveryStoreContract {
  abstract StoreUnderTest emptied();

  @Nested
  class Action extends ActionContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Admin extends AdminContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Append extends AppendContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Due extends DueContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Envelope extends EnvelopeContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Fencing extends FencingContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class History extends HistoryContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Idempotency extends IdempotencyContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Lane extends LaneContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Lease extends LeaseContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Ownership extends OwnershipContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Read extends ReadContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Settle extends SettleContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Steer extends SteerContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Survey extends SurveyContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }

  @Nested
  class Unclaimed extends UnclaimedContract {
    @Override
    protected StoreUnderTest open() {
      return emptied();
    }
  }
}
