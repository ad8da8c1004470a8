extension SimplexNameInfo {
  /// Reads `#name` and `#name.domain` (groups) or `@name.domain` (contacts); nil for anything else.
  ///
  /// A name alone stands under `simplex`. Parts are letters and digits with single hyphens between them; letters of
  /// the Latin alphabet with marks are not allowed, as they are too easily mistaken for others.
  public init?(reference: some StringProtocol) {
    let nameType: SimplexNameType
    switch reference.first {
    case "#": nameType = .publicGroup
    case "@": nameType = .contact
    default: return nil
    }
    let labels = reference.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    guard labels.allSatisfy(Self.isLabel), let domain = SimplexDomain(labels: labels, orName: nameType == .publicGroup)
    else { return nil }
    self.init(nameType: nameType, nameDomain: domain)
  }

  private static func isLabel(_ label: String) -> Bool {
    label.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.allSatisfy { isNameLetter($0) || ("0"..."9").contains($0) }
    }
  }

  private static func isNameLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isLetter && !("\u{C0}"..."\u{24F}").contains(scalar)
  }
}

extension SimplexDomain {
  /// The domain of these parts, the top-level domain last; a single part is taken for a name if it may be one.
  fileprivate init?(labels: [String], orName mayBeName: Bool) {
    guard let top = labels.last else { return nil }
    guard labels.count > 1 else {
      guard mayBeName else { return nil }
      self.init(nameTLD: .simplex, domain: top, subDomain: [])
      return
    }
    switch top {
    case "simplex", "testing":
      let below = labels.dropLast()
      self.init(
        nameTLD: top == "simplex" ? .simplex : .testing, domain: below.last ?? "",
        subDomain: Array(below.dropLast().reversed()))
    default: self.init(nameTLD: .web, domain: labels.joined(separator: "."), subDomain: [])
    }
  }
}
