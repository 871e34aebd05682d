/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import org.springframework.boot.test.context.SpringBootTest;

/** On H2, as {@code bin/shop} starts it. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class ShopTest extends ShopStories {}
