# A bill of materials in SPDX 2.3 of lines "name, version, licence, home page", parted by tabs.
# in: $file, $version, $sha256, $commit, $created

def id: "SPDXRef-" + gsub("[^A-Za-z0-9.]"; "-");

[inputs | split("\t") | {name: .[0], version: .[1], licence: .[2], home: .[3]}] as $parts
| {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: $file,
    documentNamespace: ("https://spdx.org/spdxdocs/" + $file + "-" + $sha256),
    creationInfo: {created: $created, creators: ["Organization: the gpubench developers", "Tool: gpubench/scripts/package.sh"]},
    packages: ([{
        name: "gpubench", SPDXID: "SPDXRef-gpubench", versionInfo: $version, packageFileName: $file,
        supplier: "Organization: the gpubench developers", downloadLocation: "NOASSERTION", filesAnalyzed: false,
        checksums: [{algorithm: "SHA256", checksumValue: $sha256}], sourceInfo: ("commit " + $commit),
        licenseConcluded: "MIT", licenseDeclared: "MIT", copyrightText: "Copyright (c) 2026 the gpubench developers"
      }] + [$parts[] | {
        name, SPDXID: (.name | id), versionInfo: .version, downloadLocation: "NOASSERTION", homepage: .home, filesAnalyzed: false,
        licenseConcluded: .licence, licenseDeclared: .licence, copyrightText: "NOASSERTION"
      }]),
    relationships: ([{spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: "SPDXRef-gpubench"}]
      + [$parts[] | {spdxElementId: "SPDXRef-gpubench", relationshipType: "CONTAINS", relatedSpdxElement: (.name | id)}])
  }
| if any($parts[]; .licence | startswith("LicenseRef-"))
  then . + {hasExtractedLicensingInfos: [{
      licenseId: "LicenseRef-NVIDIA", name: "NVIDIA Software License Agreement",
      extractedText: "The licence of NVIDIA's libraries is beside them, in lib/gpubench/licenses."}]}
  else . end
