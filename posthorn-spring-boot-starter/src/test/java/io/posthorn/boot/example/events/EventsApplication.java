/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.events;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The code of docs/spring.md for events, so that it compiles and runs. */
@SpringBootApplication(proxyBeanMethods = false)
class EventsApplication {}
