/** An outbox beside MyBatis, jOOQ and Hibernate; its tables by Flyway and Liquibase. */
package io.posthorn.dataaccess;
