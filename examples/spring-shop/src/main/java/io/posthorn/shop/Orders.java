/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** All orders. */
interface Orders extends JpaRepository<Order, UUID> {}
