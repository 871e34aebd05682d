/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminAuthorizer;
import io.posthorn.admin.http.AdminHttp;
import io.posthorn.admin.http.PayloadMasker;
import io.posthorn.admin.http.WebHandler;
import io.posthorn.dashboard.Dashboard;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * The admin API over HTTP, and the dashboard if it is on the class path: mounted by Spring MVC, so
 * that filters, and with them Spring Security, see its requests.
 *
 * @since 0.1
 */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnProperty(prefix = "posthorn.admin", name = "enabled", havingValue = "true")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({AdminHttp.class, SimpleUrlHandlerMapping.class})
@ImportRuntimeHints(AdminHttpHints.class)
class PosthornAdminHttpAutoConfiguration {
  /** Before the mappings of controllers, one of which may take every path. */
  private static final int ORDER = -100;

  /** What answers every path that is not the API's. */
  private static final String PAGES = "posthornPages";

  private static final boolean SECURITY =
      ClassUtils.isPresent(
          "org.springframework.security.core.context.SecurityContextHolder",
          PosthornAdminHttpAutoConfiguration.class.getClassLoader());
  private static final boolean SECURITY_WEB =
      ClassUtils.isPresent(
          "org.springframework.security.web.csrf.CsrfToken",
          PosthornAdminHttpAutoConfiguration.class.getClassLoader());

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  AdminHttp posthornAdminHttp(
      ListableBeanFactory beans,
      PosthornProperties properties,
      ObjectProvider<AdminAuthorizer> authorizers,
      ObjectProvider<PayloadMasker> maskers,
      @Qualifier(PAGES) ObjectProvider<WebHandler> pages) {
    PosthornProperties.Admin admin = properties.admin();
    AdminAuthorizer authorizer = authorizers.getIfUnique(() -> authorizer(admin));
    AdminHttp.Builder builder =
        AdminHttp.builder(authorizer)
            .readOnly(admin.readOnly())
            .mask(admin.mask().toArray(String[]::new));
    Map<String, Posthorn> outboxes = beans.getBeansOfType(Posthorn.class);
    outboxes.forEach(builder::outbox);
    maskers.ifUnique(builder::masker);
    pages.ifAvailable(builder::pages);
    return builder.build();
  }

  private static AdminAuthorizer authorizer(PosthornProperties.Admin admin) {
    boolean open = admin.access() == PosthornProperties.Access.OPEN;
    if (SECURITY && !open) {
      return new SecurityContextAuthorizer(admin.authorities());
    }
    if (SECURITY) {
      throw new ConfigurationException(
          List.of(
              "posthorn.admin.access is open but Spring Security is on the class path; leave it out and give operators the authority POSTHORN_SEE, or define a bean of type AdminAuthorizer"));
    }
    if (!open) {
      throw new ConfigurationException(
          List.of(
              "posthorn.admin.enabled is true but nothing says who may use it; add Spring Security, define a bean of type AdminAuthorizer, or, if only operators can reach this server, set posthorn.admin.access=open"));
    }
    return AdminAuthorizer.open();
  }

  /** Unless the application has pages of its own. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Dashboard.class)
  static class WithDashboard {
    @Bean(PAGES)
    @ConditionalOnMissingBean(name = PAGES)
    WebHandler posthornPages() {
      return new Dashboard();
    }
  }

  @Bean
  AdminHttpLifecycle posthornAdminHttpLifecycle(
      AdminHttp admin, ObjectProvider<Posthorn> outboxes) {
    return new AdminHttpLifecycle(admin, outboxes);
  }

  @Bean
  SimpleUrlHandlerMapping posthornAdminHttpMapping(AdminHttp admin, PosthornProperties properties) {
    String path = properties.admin().checkedPath();
    AdminHttpRequestHandler handler =
        new AdminHttpRequestHandler(
            admin, path, SECURITY_WEB ? new SecurityCsrfToken() : request -> null);
    return new SimpleUrlHandlerMapping(Map.of(path + "/**", handler), ORDER);
  }
}
