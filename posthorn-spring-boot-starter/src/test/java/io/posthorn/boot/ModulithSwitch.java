/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** Keeps Spring Modulith, which is on the class path, from applications that do not ask for it. */
public final class ModulithSwitch implements AutoConfigurationImportFilter, EnvironmentAware {
  static final String ON = "test.modulith=true";

  private boolean on;

  @Override
  public void setEnvironment(Environment environment) {
    this.on = environment.getProperty("test.modulith", boolean.class, false);
  }

  @Override
  public boolean[] match(String[] classes, AutoConfigurationMetadata metadata) {
    boolean[] wanted = new boolean[classes.length];
    for (int i = 0; i < classes.length; i++) {
      wanted[i] =
          classes[i] != null && (on || !classes[i].startsWith("org.springframework.modulith."));
    }
    return wanted;
  }
}
