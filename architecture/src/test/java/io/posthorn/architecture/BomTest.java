/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.NodeList;

class BomTest {

  @Test
  void everyPublishedModuleIsListed() throws Exception {
    List<String> listed =
        texts(
            ProjectTree.bom(), "/project/dependencyManagement/dependencies/dependency/artifactId");

    assertThat(listed).containsExactlyInAnyOrderElementsOf(ProjectTree.publishedModules());
  }

  // The BOM has no parent that would keep its version in step.
  @Test
  void versionIsTheOneOfTheProject() throws Exception {
    Path parent = ProjectTree.root().resolve("pom.xml");

    assertThat(texts(ProjectTree.bom(), "/project/version"))
        .isEqualTo(texts(parent, "/project/version"));
  }

  private static List<String> texts(Path pom, String path) throws Exception {
    var document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    var nodes =
        (NodeList)
            XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
    return IntStream.range(0, nodes.getLength())
        .mapToObj(i -> nodes.item(i).getTextContent().strip())
        .toList();
  }
}
